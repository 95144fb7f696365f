"""An array of attention weights, from whichever library, as layers of heads."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.limits import in_short

MOST_NUMBERS = 2**26  # attention weights in one array: 256 MiB of float32
# Shapes that are taken, as errors name them.
_DIMENSIONS = "(queries, keys), (heads, queries, keys) or (layers, heads, queries, keys)"
# A mapping's keys that name a layer's attention weights, not its other matrices; the first form that matches counts.
_NAMES = (
    re.compile(r"(?:^|[._/])(?:hook_)?pattern$"),  # an ActivationCache of TransformerLens
    re.compile(r"^(?:cross_|encoder_|decoder_)?attentions$"),  # an output of transformers
    re.compile(r"(?i)attention_?weights|attn_?weights|attn_?probs|attentions?$|^weights$"),
)


def layers_of(weights: Any) -> tuple[Tensor, ...]:
    """Return each layer's attention weights, ``(n_heads, n_queries, n_keys)``, on the CPU.

    `weights` is an array, or a sequence or mapping of one array a layer. Numbers stay as they are; those of a type that
    no picture is drawn of (integers, float16, bfloat16) become float32, which holds them exactly.

    Raises ``ValueError`` for other shapes, several texts, no numbers, or too many.
    """
    layers = tuple(_layers_in(weights, "weights"))
    if not layers:
        raise ValueError("weights has no layer, expected attention weights of at least one")
    _check_size(sum(layer.numel() for layer in layers), "weights")
    shapes = list(dict.fromkeys(tuple(layer.shape[1:]) for layer in layers))
    if len(shapes) > 1:
        raise ValueError(f"the layers of weights have the shapes {shapes}, expected one shape (queries, keys)")
    return layers


def _layers_in(given: Any, where: str) -> list[Tensor]:
    """Return the layers of one array or several."""
    parts = _parts_of(given, where)
    if parts is None:
        return _layers_of_array(_tensor_of(given, where), where)
    if len(parts) == 1 and isinstance(given, Mapping):  # a file with one array
        return _layers_in(*parts[0])
    layers, heads = list[Tensor](), list[Tensor]()
    for part, place in parts:
        if _parts_of(part, place) is not None:
            layers += _layers_in(part, place)
        elif (tensor := _tensor_of(part, place)).ndim == 2:
            heads.append(tensor)
        else:
            layers += _layers_of_array(tensor, place, of_a_layer=True)
    if heads and (layers or len({each.shape for each in heads}) > 1):
        shapes = [tuple(each.shape) for each in (*heads, *layers)]
        raise ValueError(f"{where} has arrays of the shapes {shapes}, expected one shape")
    return [torch.stack(heads)] if heads else layers


def _parts_of(given: Any, where: str) -> list[tuple[Any, str]] | None:
    """Return the arrays in a mapping or sequence; None for an array."""
    if hasattr(given, "cache_dict"):  # TransformerLens's ActivationCache isn't a Mapping
        given = given.cache_dict
    if isinstance(given, Mapping):
        return [(given[name], f"{where}[{name!r}]") for name in _named_in(given)]
    if isinstance(given, (list, tuple)) and not _is_table(given):
        # transformers gives None for layers without attention weights
        return [(each, f"{where}[{i}]") for i, each in enumerate(given) if each is not None]
    return None


def _is_table(given: Any) -> bool:
    """Whether nested lists hold plain numbers, and so are one array."""
    while isinstance(given, (list, tuple)):
        if not given:
            return True
        given = given[0]
    return isinstance(given, (int, float))


def _named_in(weights: Mapping[Any, Any]) -> list[Any]:
    """Return the layers' names, ordered by their numbers."""
    if not weights:
        return []
    for form in _NAMES:
        if found := [name for name in weights if form.search(str(name)) and not _is_empty(weights[name])]:
            kinds = {re.sub(r"\d+", "", str(name)) for name in found}
            if len(kinds) > 1:
                raise ValueError(f"weights has {sorted(kinds)}, expected one kind of attention: pass weights[...]")
            return sorted(found, key=_by_number)
    if len(weights) == 1 or all(re.fullmatch(r"\D*\d+\D*", str(name)) for name in weights):
        return sorted(weights, key=_by_number)
    raise ValueError(f"weights has the names {in_short(sorted(map(str, weights)))}, expected attention weights: "
                     "pass those alone")  # fmt: skip


def _is_empty(given: Any) -> bool:
    """Whether it's what transformers gives for missing attention."""
    return given is None or (isinstance(given, (list, tuple)) and not given)


def _by_number(name: Any) -> tuple[list[int], str]:
    return [int(number) for number in re.findall(r"\d+", str(name))], str(name)


def _layers_of_array(tensor: Tensor, where: str, *, of_a_layer: bool = False) -> list[Tensor]:
    """Return the layers of one array, each ``(n_heads, n_queries, n_keys)``.

    An array `of_a_layer` has no dimension of layers, so a first of four is a batch.
    """
    _check_size(tensor.numel(), where)
    shape = tuple(tensor.shape)
    batch = {4: 0, 5: 1}.get(tensor.ndim) if of_a_layer or tensor.ndim == 5 else None
    if batch is not None and shape[batch] != 1:
        raise ValueError(f"{where} has shape {shape}, expected one text at a time, of {shape[batch]}: weights[i]")
    if batch is not None:
        tensor = tensor.squeeze(batch)
    if not 2 <= tensor.ndim <= 4:
        raise ValueError(f"{where} has shape {shape}, expected {_DIMENSIONS}")
    if not tensor.numel():
        raise ValueError(f"{where} has shape {shape}, expected at least one of each")
    while tensor.ndim < 4:
        tensor = tensor[None]
    return list(tensor)


def _check_size(n: int, where: str) -> None:
    if n > MOST_NUMBERS:
        raise ValueError(f"{where} has {n:,} numbers, expected at most {MOST_NUMBERS:,}: show fewer layers")


def _tensor_of(given: Any, where: str) -> Tensor:
    """Return an array of any library as a tensor on the CPU."""
    if isinstance(given, Tensor):
        tensor = given.detach().cpu()
    else:
        if not isinstance(given, (list, tuple)) and not hasattr(given, "__array__"):
            raise ValueError(f"{where} is {in_short(given)}, expected an array {_DIMENSIONS}")
        try:
            array = np.asarray(given)
        except (TypeError, ValueError) as error:  # nested lists of different lengths, or an array that can't be read
            raise ValueError(f"{where} isn't an array of numbers, expected {_DIMENSIONS}: {error}") from error
        if (
            isinstance(given, (list, tuple)) or str(array.dtype) == "bfloat16"
        ):  # the latter is JAX's; torch can't read it
            array = array.astype(np.float32)
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{where} holds {array.dtype}, expected real numbers")
        tensor = torch.from_numpy(np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="))))
    if tensor.is_complex():
        raise ValueError(f"{where} holds {tensor.dtype}, expected real numbers")
    return tensor if tensor.dtype in (torch.float32, torch.float64) else tensor.float()
