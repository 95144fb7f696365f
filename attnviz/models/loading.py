"""Models of others, by a folder or by a name that transformers knows: safetensors alone, and no code of theirs."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch

from attnviz.core.errors import RefusedError
from attnviz.core.limits import in_short
from attnviz.models.included import INCLUDED, included
from attnviz.models.kept import Kept
from attnviz.models.pretrained import WATCHED, transformers

# How the class is called that has the head a model was trained with; any other is loaded without one.
_CLASSES = (("ForConditionalGeneration", "AutoModelForSeq2SeqLM"), ("ForCausalLM", "AutoModelForCausalLM"),
            ("LMHeadModel", "AutoModelForCausalLM"))  # fmt: skip
_SECONDS = 3.0  # that a network may take to answer at all
MOST_BYTES = 16 * 2**30  # of a model's weights, and of those of all that are kept in memory
Step = Literal["package", "settings", "tokenizer", "numbers"]
STEPS: tuple[Step, ...] = ("package", "settings", "tokenizer", "numbers")
Tell = Callable[[Step], None]


def load(name: str, tell: Tell = lambda _: None) -> tuple[Any, Any]:
    """Return a model and its tokenizer: those that come along, by their name, or those of a folder, or of a name that
    transformers knows and has fetched or may fetch. `tell` is told what is being loaded.

    Raises ``ValueError`` with the reason where that can't be: no such folder, no network, a kind of model that
    transformers doesn't know, weights that are no safetensors, or too many.
    """
    tell("package")
    package = transformers()
    if name == INCLUDED:
        tell("numbers")
        return included()
    _check_folder(name)
    only = {"trust_remote_code": False, "local_files_only": Path(name).is_dir() or not _answers()}
    try:
        tell("settings")
        config = package.AutoConfig.from_pretrained(name, **only)
        called = next(iter(getattr(config, "architectures", None) or ()), "")
        kind = next((auto for end, auto in _CLASSES if called.endswith(end)), "AutoModel")
        _check_size(name, _size_by(config, getattr(package, kind)))  # before they are fetched
        tell("tokenizer")
        tokenizer = package.AutoTokenizer.from_pretrained(name, **only)
        tell("numbers")
        model = getattr(package, kind).from_pretrained(name, use_safetensors=True, attn_implementation=WATCHED, **only)
    except RefusedError:
        raise
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise _refused(name, error, offline=only["local_files_only"]) from None
    _check_size(name, size_of(model))
    return model.eval().requires_grad_(False), tokenizer


def size_of(model: Any) -> int:
    """Return how many bytes the weights of a model take."""
    return sum(each.numel() * each.element_size() for each in model.parameters())


def _size_by(config: Any, kind: Any) -> int:
    """Return how many bytes the weights of a model will take, by its configuration alone."""
    with torch.device("meta"):  # where a tensor has a shape and no numbers
        made = kind.from_config(config)
    each = getattr(config, "dtype", None)
    size = each.itemsize if isinstance(each, torch.dtype) else torch.float32.itemsize
    return sum(int(parameter.numel()) for parameter in made.parameters()) * size


def _check_folder(name: str) -> None:
    folder = Path(name)
    if folder.is_dir():
        _check_size(name, sum(file.stat().st_size for file in folder.glob("*.safetensors")))
    elif folder.is_absolute() or name.startswith((".", "~")):
        raise RefusedError(_not_had(name, "there is no such folder"), "model_no_folder", value=name)


def _check_size(name: str, size: int) -> None:
    if size > MOST_BYTES:
        message = _not_had(name, f"its weights take {size:,} bytes, expected at most {MOST_BYTES:,}")
        raise RefusedError(message, "model_too_large", value=name)


def _answers() -> bool:
    """Whether the place that models are fetched from answers. Without this, each file is asked for again and again."""
    from huggingface_hub import constants, get_session

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        get_session().head(constants.ENDPOINT, timeout=_SECONDS)
    except Exception:
        return False
    return True


def _refused(name: str, error: Exception, *, offline: bool) -> RefusedError:
    """Return why a model can't be had, of what transformers says of it."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    said = str(error).lower()
    message = _not_had(name, first)
    if "safetensors" in said:
        return RefusedError(message, "model_no_safetensors", value=name)
    if "model type" in said or "unrecognized" in said or isinstance(error, KeyError):
        return RefusedError(message, "model_unknown", value=name)
    if offline and isinstance(error, OSError) and not Path(name).is_dir():
        return RefusedError(message, "model_no_network", value=name)
    return RefusedError(message, "model_damaged", value=name)


def _not_had(name: str, why: str) -> str:
    message = f"the model {in_short(name)} can't be had, expected a folder or a name: {why}"
    return message


class Shelf:
    """Models that are loaded, one copy for all who ask: of more than `most`, or of more bytes than fit, the one asked
    for longest ago goes."""

    def __init__(self, most: int = 2, most_bytes: int = MOST_BYTES) -> None:
        self._kept = Kept(most_bytes, most, at_once=1)

    def get(self, name: str, tell: Tell = lambda _: None) -> tuple[Any, Any]:
        """Return a model and its tokenizer, loaded now or before; one who asks meanwhile waits.

        Raises ``ValueError`` as :func:`load` does.
        """
        found: tuple[Any, Any] = self._kept.get(name, lambda: load(name, tell), lambda held: size_of(held[0]))
        return found

    def __contains__(self, name: str) -> bool:
        return name in self._kept


@cache
def offered() -> tuple[str, ...]:
    """Return the models that a server offers: the one that comes along, and those that whoever runs it named in
    ATTNVIZ_MODELS, with commas between them."""
    named = (name.strip() for name in os.environ.get("ATTNVIZ_MODELS", "").split(","))
    return tuple(dict.fromkeys((INCLUDED, *filter(None, named))))
