"""Models of others, by a folder or by a name that transformers knows: safetensors alone, and no code of theirs."""

from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import torch

from attnviz.core.devices import bytes_of_memory
from attnviz.core.errors import RefusedError
from attnviz.core.limits import in_short
from attnviz.models.kept import Kept
from attnviz.models.offering import ALONG, included, is_folder
from attnviz.models.pretrained import EAGER, WATCHED, goes_through_ours, transformers
from attnviz.models.progress import Progress, Tell, fetching_bar, tell, telling

# How the class is called that has the head a model was trained with; any other is loaded without one.
_CLASSES = (("ForConditionalGeneration", "AutoModelForSeq2SeqLM"), ("ForCausalLM", "AutoModelForCausalLM"),
            ("LMHeadModel", "AutoModelForCausalLM"))  # fmt: skip
_SECONDS = 3.0  # that a network may take to answer at all
MOST_BYTES = 16 * 2**30  # of a model's weights, and of those of all that are kept in memory
_OF_MEMORY = 3  # parts of the machine's: one for those that are kept while another one is loaded, one for all else
_LOOKED_AT = 0.1  # seconds after which one who waits is told how far it is


def load(name: str, to: Tell = lambda _: None) -> tuple[Any, Any]:
    """Return a model and its tokenizer: those that come along, by their name, or those of a folder, or of a name that
    transformers knows and has fetched or may fetch. How far that is, is told `to` a function.

    Raises ``ValueError`` with the reason where that can't be: no such folder, no network, a kind of model that
    transformers doesn't know, weights that are no safetensors, or too many.
    """
    with telling(to):
        return included(name) if name in ALONG else _load(name)


def _load(name: str) -> tuple[Any, Any]:
    tell("package")
    package = transformers()
    _check_folder(name)
    only = {"trust_remote_code": False, "local_files_only": Path(name).is_dir() or not _answers()}
    try:
        tell("settings")
        config = package.AutoConfig.from_pretrained(name, **only)
        called = next(iter(getattr(config, "architectures", None) or ()), "")
        kind = next((auto for end, auto in _CLASSES if called.endswith(end)), "AutoModel")
        outline = _outline_of(config, getattr(package, kind))
        _check_size(name, _size_by(config, outline))  # before they are fetched
        tell("tokenizer")
        tokenizer = package.AutoTokenizer.from_pretrained(name, **only)
        bar = {} if only["local_files_only"] else {"tqdm_class": fetching_bar()}
        tell("fetched" if bar else "numbers")
        model = getattr(package, kind).from_pretrained(
            name,
            use_safetensors=True,
            attn_implementation=WATCHED if goes_through_ours(outline) else EAGER,
            **only,
            **bar,
        )
    except RefusedError:
        raise
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise _refused(name, error, offline=only["local_files_only"]) from None
    _check_size(name, size_of(model))
    return model.eval().requires_grad_(False), tokenizer


def size_of(model: Any) -> int:
    """Return how many bytes the weights of a model take."""
    return sum(each.numel() * each.element_size() for each in model.parameters())


def _outline_of(config: Any, kind: Any) -> Any:
    """Return a model without its numbers, by its configuration alone."""
    with torch.device("meta"):  # where a tensor has a shape and no numbers
        return kind.from_config(config)


def _size_by(config: Any, outline: Any) -> int:
    """Return how many bytes the weights of a model will take."""
    each = getattr(config, "dtype", None)
    size = each.itemsize if isinstance(each, torch.dtype) else torch.float32.itemsize
    return sum(int(parameter.numel()) for parameter in outline.parameters()) * size


def _check_folder(name: str) -> None:
    folder = Path(name)
    if folder.is_dir():
        _check_size(name, sum(file.stat().st_size for file in folder.glob("*.safetensors")))
    elif is_folder(name):
        raise RefusedError("model_no_folder", detail=_not_had(name, "there is no such folder"), value=name)


def room() -> int:
    """Return how many bytes the weights of a model may take, and those of all that are kept: a third of the memory that
    there is, at most."""
    memory = bytes_of_memory()
    return MOST_BYTES if memory is None else min(MOST_BYTES, memory // _OF_MEMORY)


def _check_size(name: str, size: int) -> None:
    if size > (most := room()):
        message = _not_had(name, f"its weights take {size:,} bytes, expected at most {most:,}")
        raise RefusedError("model_too_large", detail=message, value=name)


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
        return RefusedError("model_no_safetensors", detail=message, value=name)
    if "model type" in said or "unrecognized" in said or isinstance(error, KeyError):
        return RefusedError("model_unknown", detail=message, value=name)
    if offline and isinstance(error, OSError) and not Path(name).is_dir():
        return RefusedError("model_no_network", detail=message, value=name)
    return RefusedError("model_damaged", detail=message, value=name)


def _not_had(name: str, why: str) -> str:
    message = f"the model {in_short(name)} can't be had, expected a folder or a name: {why}"
    return message


class _Loading:
    """A model while it's loaded, by a thread of its own: whoever leaves the page meanwhile stops nothing."""

    def __init__(self, make: Callable[[Tell], tuple[Any, Any]]) -> None:
        self.progress = Progress("turn")
        self._make, self._done = make, Event()
        self._made: tuple[Any, Any] | None = None
        self._error: Exception | None = None
        Thread(target=self._load, daemon=True, name="attnviz-loading").start()

    def _load(self) -> None:
        try:
            self._made = self._make(self._take)
        except Exception as error:  # told to all who wait
            self._error = error
        self._done.set()

    def _take(self, progress: Progress) -> None:
        self.progress = progress

    def wait(self, to: Tell) -> tuple[Any, Any]:
        """Return what is loaded, once it is, or raise why it can't be; how far it is, is told `to` a function."""
        told = None
        while not self._done.wait(_LOOKED_AT):
            if told != self.progress:
                told = self.progress
                to(told)
        if self._made is None:
            assert self._error is not None
            raise self._error
        return self._made


class Shelf:
    """Models that are loaded, one copy for all who ask: of more than `most`, or of more bytes than fit, the one asked
    for longest ago goes. One is loaded after the other, and nobody waits for it who asks for another that is there."""

    def __init__(self, most: int = 2, most_bytes: int | None = None) -> None:
        self._kept = Kept(room() if most_bytes is None else most_bytes, most, at_once=1)
        self._loading: dict[str, _Loading] = {}
        self._lock = Lock()

    def get(self, name: str, to: Tell = lambda _: None) -> tuple[Any, Any]:
        """Return a model and its tokenizer, loaded now or before; to one who waits is told how far it is.

        Raises ``ValueError`` as :func:`load` does.
        """
        with self._lock:
            loading = None if name in self._kept else self._loading.get(name)
            if loading is None and name not in self._kept:
                loading = self._loading[name] = _Loading(lambda tell: self._load(name, tell))
        return self._load(name, to) if loading is None else loading.wait(to)

    def _load(self, name: str, to: Tell) -> tuple[Any, Any]:
        try:
            found: tuple[Any, Any] = self._kept.get(name, lambda: load(name, to), lambda held: size_of(held[0]))
        finally:
            with self._lock:
                self._loading.pop(name, None)
        return found

    def __contains__(self, name: str) -> bool:
        return name in self._kept
