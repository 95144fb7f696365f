"""Loading models by folder or name: safetensors only, and no foreign code."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from contextvars import ContextVar
from functools import cache, lru_cache
from hashlib import file_digest
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any, Literal, NamedTuple

import torch

from attnviz.core.arguments import typed
from attnviz.core.limits import RefusedError, in_short
from attnviz.core.machine import bytes_of_memory
from attnviz.features.language_models.inside.available_models import ALONG, is_folder
from attnviz.features.language_models.inside.eager import EAGER
from attnviz.features.language_models.inside.files.outline import TooLargeError, numbers_in, outline_of
from attnviz.features.language_models.inside.pretrained import made_watched, transformers

# (end of an architecture's name, class that loads it with its output layer); others are loaded without one.
_CLASSES = (("ForConditionalGeneration", "AutoModelForSeq2SeqLM"), ("ForCausalLM", "AutoModelForCausalLM"),
            ("LMHeadModel", "AutoModelForCausalLM"))  # fmt: skip
_SECONDS = 3.0  # the network has this much time to answer
MOST_BYTES = 16 * 2**30  # limit for a model's weights, and for all models in memory together
_OF_MEMORY = 3  # equal parts of memory: for kept models, for a model that is loading, and for all else
_UNSEEN = "pooler"  # a layer after the last vectors, which many files lack and nothing here shows
_WEIGHTS = "model.safetensors"
_LOADING = Lock()
Step = Literal["turn", "package", "sum", "settings", "tokenizer", "fetched", "numbers"]
# Step -> (start, end) as shares of the whole. Importing the package takes seconds, as do a large model's numbers.
STEPS: dict[Step, tuple[float, float]] = {
    "turn": (0.0, 0.0), "package": (0.0, 0.3), "sum": (0.3, 0.4), "settings": (0.3, 0.4), "tokenizer": (0.4, 0.45),
    "fetched": (0.45, 0.7), "numbers": (0.7, 1.0),
}  # fmt: skip
_NUMBERS = "Loading weights"  # name of transformers' progress bar while it loads one matrix after the other


class Progress(NamedTuple):
    """A step of loading, and its share done, from 0 to 1."""

    step: Step
    share: float = 0.0

    @property
    def whole(self) -> float:
        """The share of all steps that is done, from 0 to 1."""
        start, end = STEPS[self.step]
        return start + self.share * (end - start)


Tell = Callable[[Progress], None]
_TELLING: ContextVar[Tell | None] = ContextVar("attnviz_telling", default=None)


@typed
def load(name: str, to: Tell = lambda _: None) -> tuple[Any, Any]:
    """Return a model and its tokenizer; report progress to `to`.

    The name is an included model's, a folder, or a name that transformers knows.

    Raises ``ValueError`` with the reason if that isn't possible: no such folder, no network, a kind of model that
    transformers doesn't know, damaged files, too many weights, or weights that aren't safetensors, don't fit
    config.json, or have another SHA-256 than the included model's.
    """
    token = _TELLING.set(to)
    try:
        with _LOADING if name in ALONG else nullcontext():
            return _included(name) if name in ALONG else _load(name)
    finally:
        _TELLING.reset(token)


@lru_cache(maxsize=len(ALONG))
def _included(name: str) -> tuple[Any, Any]:
    """Return an included model, which is read once for all callers."""
    bars = transformers().utils.logging
    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        return _load(str(ALONG[name].folder(name)), ALONG[name].sha256)
    finally:
        if shown:
            bars.enable_progress_bar()


def _load(name: str, sha256: str | None = None) -> tuple[Any, Any]:
    tell("package")
    package = _counting_package()
    folder = Path(name)
    if folder.is_dir():
        _check_size(name, sum(file.stat().st_size for file in folder.glob("*.safetensors")))
    elif is_folder(name):
        raise RefusedError("model_no_folder", detail=_not_had(name, "there is no such folder"), value=name)
    if sha256 is not None:
        tell("sum")
        check_sum(Path(name) / _WEIGHTS, sha256)
    only = {"trust_remote_code": False, "local_files_only": Path(name).is_dir() or not _answers()}
    try:
        tell("settings")
        config = package.AutoConfig.from_pretrained(name, **only)
        called = next(iter(getattr(config, "architectures", None) or ()), "")
        kind = next((auto for end, auto in _CLASSES if called.endswith(end)), "AutoModel")
        _check_outline(name, config, lambda: getattr(package, kind).from_config(config))
        tell("tokenizer")
        tokenizer = package.AutoTokenizer.from_pretrained(name, **only)
        bar = {} if only["local_files_only"] else {"tqdm_class": _fetching_bar()}
        tell("fetched" if bar else "numbers")
        model, info = getattr(package, kind).from_pretrained(
            name,
            use_safetensors=True,
            ignore_mismatched_sizes=True,  # refused below, with their sizes
            output_loading_info=True,
            attn_implementation=EAGER,
            **only,
            **bar,
        )
    except RefusedError:
        raise
    except Exception as error:  # a damaged file may raise any kind of error
        raise _refused(name, error, offline=only["local_files_only"]) from error
    _check_complete(name, info)
    _check_size(name, size_of(model))
    return made_watched(model.eval().requires_grad_(False)), tokenizer


def check_sum(file: Path, expected: str) -> None:
    """Raise ``ValueError`` for a file of another SHA-256, or none."""
    if not file.is_file():
        raise ValueError(f"there is no {file}, expected the weights of a model")
    with file.open("rb") as weights:
        found = file_digest(weights, "sha256").hexdigest()
    if found != expected:
        message = f"{file} has the SHA-256 {found}, expected {expected}: it was changed, and isn't loaded"
        raise RefusedError("model_sum", detail=message, value=file.parent.name)


def size_of(model: Any) -> int:
    """Return how many bytes the weights of a model take."""
    return sum(each.numel() * each.element_size() for each in model.parameters())


def _bytes_each(config: Any) -> int:
    """Return how many bytes each weight of a model will take."""
    dtype = getattr(config, "dtype", None)
    return dtype.itemsize if isinstance(dtype, torch.dtype) else torch.float32.itemsize


def _check_outline(name: str, config: Any, make: Callable[[], Any]) -> None:
    """Raise ``ValueError`` for a model too large, before it's fetched."""
    packed = getattr(config, "quantization_config", None) is not None  # one number holds several weights
    numbers, each = None if packed else numbers_in(Path(name)), _bytes_each(config)
    try:
        outline = outline_of(make, room() // each, numbers)
    except TooLargeError as error:
        kind = "model_other_weights" if error.beyond_files else "model_too_large"
        raise RefusedError(kind, detail=_not_had(name, str(error)), value=name) from None
    _check_size(name, sum(parameter.numel() for parameter in outline.parameters()) * each)


def _check_complete(name: str, info: Mapping[str, Any]) -> None:
    """Raise ``ValueError`` for weights that are missing or have wrong shapes."""
    other = sorted(info.get("mismatched_keys", ()))
    missing = sorted(key for key in info.get("missing_keys", ()) if _UNSEEN not in key)
    if other:
        key, found, expected = other[0]
        message = f"{key} is {tuple(found)} in its file, expected {tuple(expected)}, as config.json says"
    elif missing:
        message = f"its file lacks {missing[0]}, one of {len(missing)} that config.json says: it would be random"
    else:
        return
    raise RefusedError("model_other_weights", detail=_not_had(name, message), value=name)


def room() -> int:
    """Return the most bytes for all models: a third of memory, capped."""
    memory = bytes_of_memory()
    return MOST_BYTES if memory is None else min(MOST_BYTES, memory // _OF_MEMORY)


def _check_size(name: str, size: int) -> None:
    if size > (most := room()):
        message = _not_had(name, f"its weights take {size:,} bytes, expected at most {most:,}")
        raise RefusedError("model_too_large", detail=message, value=name)


def _answers() -> bool:
    """Whether the Hugging Face server answers; otherwise each file would be retried."""
    from huggingface_hub import constants, get_session

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        get_session().head(constants.ENDPOINT, timeout=_SECONDS)
    except Exception:
        return False
    return True


def _refused(name: str, error: Exception, *, offline: bool) -> RefusedError:
    """Return the error to raise, by what transformers says of a model."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    said = str(error).lower()
    message = _not_had(name, first)
    if "safetensors" in said:
        return RefusedError("model_no_safetensors", detail=message, value=name)
    if "model type" in said or "unrecognized" in said:
        return RefusedError("model_unknown", detail=message, value=name)
    if offline and isinstance(error, OSError) and not Path(name).is_dir():
        return RefusedError("model_no_network", detail=message, value=name)
    return RefusedError("model_damaged", detail=message, value=name)


def _not_had(name: str, why: str) -> str:
    message = f"the model {in_short(name)} can't be had, expected a folder or a name: {why}"
    return message


@cache
def _counting_package() -> ModuleType:
    """Return transformers, and let its progress bar report to whoever waits."""
    package = transformers()
    bars = package.utils.logging
    before = bars.set_tqdm_hook(None)
    bars.set_tqdm_hook(_counted if before is None else lambda bar, given, named: _counted(
        lambda *each, **more: before(bar, each, more), given, named))  # fmt: skip
    return package


def tell(step: Step, share: float = 0.0) -> None:
    """Report the progress of this thread's loading to whoever waits."""
    to = _TELLING.get()
    if to is not None:
        to(Progress(step, share))


def _counted(bar: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return transformers' progress bar; that of weights also reports progress."""
    made = bar(*given, **named)
    if _TELLING.get() is None or named.get("desc") != _NUMBERS or not given or not hasattr(given[0], "__len__"):
        return made
    return _counting(made, len(given[0]))


def _counting(made: Any, count: int) -> Iterator[Any]:
    for at, each in enumerate(made):
        yield each
        tell("numbers", (at + 1) / count)


@cache
def _fetching_bar() -> Any:
    """Return a progress bar class that reports the bytes of downloaded files."""
    from huggingface_hub.utils import tqdm  # type: ignore[attr-defined]

    class Fetching(tqdm):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)  # type: ignore[no-untyped-call]
            # Read here, because other threads, which don't have this context, may call `update`.
            self._to, self._bytes = _TELLING.get(), named.get("initial") or 0

        def update(self, n: float | None = 1) -> bool | None:
            self._bytes += n or 0
            if self._to is not None and self.total:
                self._to(Progress("fetched", min(1.0, self._bytes / self.total)))
            updated: bool | None = super().update(n)
            return updated

    return Fetching
