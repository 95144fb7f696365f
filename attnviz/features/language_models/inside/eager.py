"""A model's own eager attention: its name, and a check against it."""

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from attnviz.core.limits import RefusedError
from attnviz.features.language_models.inside.recording import twin_of

EAGER = "eager"
_ROUNDINGS = 64  # roundings by which a result may be off, relative to its largest number
_MOST_OFF = 0.03  # limit in low precision, where 64 roundings would be half of a number
_MOST_LENGTHS = 2**12  # lengths of texts that are remembered for a model


class WatchedName(str):
    """A name that equals "eager", under which the watched attention is found.

    Models with sparse attention apply their mask only if their attention's name equals "eager" (or "sdpa"). A table of
    functions looks names up by their hash first, so "eager" itself doesn't find the function registered under this
    name.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        return hash("attnviz")

    def __deepcopy__(self, _: object) -> "WatchedName":
        return self


WATCHED = WatchedName(EAGER)


def is_watched(model: Any) -> bool:
    """Whether a model calls the watched attention."""
    return isinstance(model.config._attn_implementation, WatchedName)


def name_attention(model: Any, name: str) -> None:
    """Let a model call the attention of this name."""
    model.set_attn_implementation(EAGER)
    configs = {id(config): config for each in model.modules() if (config := getattr(each, "config", None)) is not None}
    for config in (model.config, *configs.values()):
        if getattr(config, "_attn_implementation_internal", None) == EAGER:
            config._attn_implementation_internal = name


def remember_lengths(model: Any) -> None:
    """Let a model of our own keep the lengths that were checked."""
    model.lengths_checked = set()


def check_eager(model: Any, inputs: Mapping[str, Any], result: Any) -> None:
    """Raise ``ValueError`` unless the model computes the same unwatched.

    `result` is what the watched model computed from `inputs`; it's compared with the result of the model's own eager
    attention. That costs a second forward pass. A model that remembers lengths is checked once for each number of
    tokens; see :func:`remember_lengths`.
    """
    past = inputs.get("past_key_values")
    places = (inputs["input_ids"].shape[-1], 0 if past is None else past.get_seq_length())
    length = (*places, inputs["decoder_input_ids"].shape[-1] if "decoder_input_ids" in inputs else 0)
    known = getattr(model, "lengths_checked", None)
    if known is not None and length in known:
        return
    plain = model
    if is_watched(model):
        plain = twin_of(model)
        name_attention(plain, EAGER)
    with torch.no_grad():
        own = plain(**{key: copy.deepcopy(each) if each is past else each for key, each in inputs.items()})
    check_same(type(model).__name__, result, own)
    if known is not None and len(known) < _MOST_LENGTHS:
        known.add(length)


def check_same(name: str, result: Any, own: Any) -> None:
    """Raise ``ValueError`` if two results differ by more than roundings."""
    made = _floats(result)
    for key, tensor in _floats(own).items():
        if key not in made:
            continue
        off, largest = _off(made[key], tensor), float(tensor.abs().nan_to_num(0.0, 0.0, 0.0).max())
        precision = _ROUNDINGS * torch.finfo(tensor.dtype).eps
        if not off <= min(precision, _MOST_OFF) * largest:
            message = (
                f"{name} can't be looked into, expected the {key} of its own eager attention: its numbers are up to"
                f" {off:.3g} off, and the largest is {largest:.3g}"
            )
            raise RefusedError("model_otherwise", detail=message, otherwise="differs")


def _floats(result: Any) -> dict[str, Tensor]:
    """Return the tensors of a result that hold numbers, by name."""
    items = result.items() if isinstance(result, Mapping) else enumerate(result) if isinstance(result, tuple) else ()
    return {
        str(key): each for key, each in items if isinstance(each, Tensor) and each.is_floating_point() and each.numel()
    }


def _off(made: Tensor, own: Tensor) -> float:
    """Return the largest difference; infinities and NaN must be alike."""
    if made.shape != own.shape:
        return torch.inf
    same = (made == own) | (made.isnan() & own.isnan())
    return float((made - own).abs().masked_fill(same, 0.0).nan_to_num(nan=torch.inf).max())
