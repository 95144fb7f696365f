"""Attention written out: softmax of queries times keys, times values.

Scores are followed from one operation to the next, up to the softmax, by the tensors that the operations make.
"""

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attnviz.core.limits import RefusedError
from attnviz.features.language_models.inside.edits import Editing
from attnviz.features.language_models.inside.layers.differential import is_pair
from attnviz.features.language_models.inside.recording import Watch
from attnviz.features.language_models.inside.seen.attended import AttentionRecord
from attnviz.words import say

_MOST_PRODUCTS = 256  # the most followed at once; of more, the oldest are dropped
_MOST_LEARNED = 2**16  # a parameter with more numbers is no table of biases
_HIDES = -5e3  # a score this low gets a share of 0; models add numbers below it to hide a key
# Names of operations that multiply, divide, add and subtract, and of those that reorder numbers.
_TIMES, _OVER = frozenset({"mul", "rmul", "imul", "multiply"}), frozenset({"truediv", "div", "itruediv", "idiv"})
_PLUS, _MINUS = frozenset({"add", "radd", "iadd"}), frozenset({"sub", "isub"})
_ORDER = frozenset({"get", "t", "transpose", "permute", "swapaxes", "swapdims", "movedim", "flip", "roll", "sort"})
# Model type in transformers -> how it attends in another way than by softmax(Q Kᵀ) V.
_OTHERWISE = {
    "deberta": "disentangled", "deberta-v2": "disentangled", "xlnet": "two_streams", "longformer": "local",
    "led": "local", "longt5": "local", "reformer": "hashed", "mamba": "without", "mamba2": "without", "rwkv": "without",
    "fnet": "without", "bigbird_pegasus": "local", "pegasus_x": "local",
}  # fmt: skip


@dataclass(frozen=True)
class _Followed:
    """A product of queries and keys that is followed to its softmax.

    `tensor` is the product times `scaling`, plus a `bias`, which doesn't include the mask. `weights` are its softmax,
    once computed, and `added` is all that was added to the scores, the mask included.
    """

    tensor: Tensor
    query: Tensor
    key: Tensor
    scaling: float = 1.0
    bias: Tensor | None = None
    added: Tensor | None = None
    weights: Tensor | None = None

    def plus(self, made: Tensor, other: Any, sign: float = 1.0) -> "_Followed":
        """Return the record after an addition; :meth:`masked` finds masks in it."""
        added = torch.as_tensor(other, dtype=made.dtype, device=made.device).detach() * sign
        bias = added.broadcast_to(made.shape).masked_fill(added <= _HIDES, 0.0)
        if not bool(bias.any()):
            return replace(self, tensor=made)
        return replace(self, tensor=made, bias=bias if self.bias is None else self.bias + bias)

    def times(self, made: Tensor, number: Any, *, over: bool = False) -> "_Followed":
        """Return the record after a multiplication or division by a positive number."""
        if (isinstance(number, Tensor) and number.numel() != 1) or not float(number) > 0:
            return replace(self, tensor=made)
        factor = 1 / float(number) if over else float(number)
        return replace(
            self, tensor=made, scaling=self.scaling * factor, bias=None if self.bias is None else self.bias * factor
        )

    def same(self, made: Tensor) -> "_Followed":
        """Return the record after any other operation, such as a new shape."""
        return replace(self, tensor=made, bias=None if self.bias is None else self.bias.reshape(made.shape))

    def masked(self) -> "_Followed":
        """Return the record with `added`, -inf where a key is hidden."""
        scores, hidden = self.tensor, self.tensor <= _HIDES
        if self.bias is None and not bool(hidden.any()):
            return self
        added = torch.zeros_like(scores) if self.bias is None else self.bias.reshape(scores.shape)
        return replace(self, added=added.masked_fill(hidden, -math.inf))


class EagerRecorder(Watch):
    """A watch that also sees attention written out with torch's operations.

    It follows q @ k to a softmax over keys and a product with values; a product with one of `weights` is a projection.
    """

    def __init__(self, editing: Editing | None = None, weights: Iterable[Tensor] = ()) -> None:
        super().__init__(editing)
        self._weights = {each.data_ptr() for each in weights if each.dim() == 2}
        self._followed: dict[int, _Followed] = {}

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Compute torch's result, and follow scores."""
        given, name = dict(kwargs or {}), getattr(func, "__name__", "").strip("_")
        if name in ("matmul", "bmm", "rmatmul"):
            one, other = (args[1], args[0]) if name == "rmatmul" else (*args, *given.values())[:2]
            return self._product(one, other, func, args, given)
        if name == "softmax":
            return self._softmax(func, args, given)
        before = self._of(args, given)
        made = super().__torch_function__(func, types, args, kwargs)
        if name == "baddbmm":
            self._biased_product(made, args, given)
        elif name in _ORDER or before is None or not isinstance(made, Tensor):
            return made
        elif made.numel() == before.tensor.numel():
            self._keep(self._after(name, before, made, args, given))
        return made

    def _keep(self, followed: _Followed) -> None:
        self._followed[id(followed.tensor)] = followed
        while len(self._followed) > _MOST_PRODUCTS:
            del self._followed[next(iter(self._followed))]

    def _of(self, args: tuple[Any, ...], given: Mapping[str, Any]) -> _Followed | None:
        """Return the record of the first operand that is followed."""
        tensors = (each for each in (*args, *given.values()) if isinstance(each, Tensor))
        return next((self._followed[id(each)] for each in tensors if id(each) in self._followed), None)

    def _product(
        self, one: Tensor, other: Tensor, func: Callable[..., Tensor], args: tuple[Any, ...], given: dict[str, Any]
    ) -> Tensor:
        known = self._followed.get(id(one))
        if known is not None and known.weights is not None and known.weights.shape[-1] == other.shape[-2]:
            return self._read(known, other, func, args, given)
        if other.dim() == 2 <= one.dim() and other.data_ptr() in self._weights and not given:
            return self._project(lambda weight, _: torch.matmul(one, weight), one, other, None)
        made = func(*args, **given)
        if min(one.dim(), other.dim()) >= 2:
            self._keep(_Followed(made, one, other.mT))
        return made

    def _biased_product(self, made: Tensor, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
        """Follow a product that is made with a sum, as by ``torch.baddbmm``."""
        added, one, other = (*args, *(given[key] for key in ("batch1", "batch2") if key in given))[:3]
        followed = _Followed(made, one, other.mT, float(given.get("alpha", 1.0)))
        self._keep(followed.plus(made, added, float(given.get("beta", 1.0))))

    def _softmax(self, func: Callable[..., Tensor], args: tuple[Any, ...], given: dict[str, Any]) -> Tensor:
        before = self._of(args, given)
        axis = given.get("dim", args[1] if len(args) > 1 else None)
        if before is None or axis not in (-1, before.tensor.dim() - 1):
            return func(*args, **given)
        before = before.masked()
        if self.editing is not None:
            before = self._masked_anew(self.editing, before)
        made = func(before.tensor, *args[1:], **{key: each for key, each in given.items() if key != "input"})
        self._keep(replace(before, tensor=made, weights=made))
        return made

    def _masked_anew(self, editing: Editing, before: _Followed) -> _Followed:
        """Return scores with the changes of the mask."""
        scores = before.tensor
        shape = (1, *scores.shape)[-3:]
        added = None if before.added is None else before.added.reshape(1, *shape)
        changed = editing.mask(len(self.attended), added, None, scores.reshape(1, *shape), scores.reshape(1, *shape).mT)
        if changed is None or changed is added:
            return before
        bare = torch.matmul(before.query, before.key.mT).reshape(shape) * before.scaling
        scores = (bare + changed[0]).reshape(scores.shape)
        return replace(before, tensor=scores, added=changed.reshape(scores.shape))

    def _after(
        self, name: str, before: _Followed, made: Tensor, args: tuple[Any, ...], given: Mapping[str, Any]
    ) -> _Followed:
        """Return the record of an operation's result on a followed tensor."""
        operands = (*args, *given.values())
        other = next((each for each in operands if each is not before.tensor), None)
        if before.weights is None:
            is_first = operands[0] is before.tensor
            if name in _PLUS or (name in _MINUS and is_first):
                return before.plus(made, other, -1.0 if name in _MINUS else 1.0)
            if name in _TIMES:
                return before.times(made, other)
            if name in _OVER and is_first:
                return before.times(made, other, over=True)
        return before.same(made)

    def _read(
        self, known: _Followed, value: Tensor, func: Callable[..., Tensor], args: tuple[Any, ...], given: dict[str, Any]
    ) -> Tensor:
        """Compute contexts, and keep their attention."""
        made, weights = func(*args, **given), known.tensor
        number, editing = len(self.attended), self.editing
        if editing is not None and editing.touches(number):
            if any(attention == number for attention, _ in editing.parts):
                raise ValueError(
                    f"queries, keys or values of layer {number} are changed where they aren't the columns of one"
                    " product, expected a change of the product, the mask or the head"
                )
            four = [(1, 1, *each.shape)[-4:] for each in (made, weights, value)]
            contexts, changed = editing.result(
                number,
                made.reshape(four[0]).transpose(1, 2),
                weights.reshape(four[1]),
                value.reshape(four[2]),
                None if known.added is None else known.added.reshape(four[1]),
            )
            assert changed is not None
            made, weights = contexts.transpose(1, 2).reshape(made.shape), changed.reshape(weights.shape)
        self._followed.clear()
        self.attend(known.query, known.key, value, known.added, known.scaling, weights, made, bias=known.bias)
        return made


def learned_in(attended: list[AttentionRecord], parameters: Iterable[Tensor]) -> list[AttentionRecord]:
    """Return attentions, marked with whether their bias is learned."""
    if all(each.bias is None for each in attended):
        return attended
    tables = [each.detach() for each in parameters if each.dim() >= 2 and each.numel() <= _MOST_LEARNED]
    known: dict[int, bool] = {}
    found = []
    for each in attended:
        if each.bias is not None and each.added is not None:
            numbers = torch.unique(each.bias[0][each.added[0] > -math.inf])
            key = hash(tuple(numbers[:_MOST_LEARNED].tolist()))
            if key not in known:
                known[key] = any(bool(torch.isin(numbers, table.to(numbers.dtype)).all()) for table in tables)
            each = replace(each, learned=known[key])
        found.append(each)
    return found


def check_architecture(model: Any) -> None:
    """Raise ``ValueError`` for a model with unsupported attention, or without text."""
    name, kind = type(model).__name__, getattr(model.config, "model_type", "")
    if kind in _OTHERWISE:
        _refuse(name, _OTHERWISE[kind])
    if getattr(model, "main_input_name", "input_ids") != "input_ids" or hasattr(model.config, "vision_config"):
        _refuse(name, "no_text")


def check_kinds(name: str, attended: list[AttentionRecord], n_tokens: int) -> None:
    """Raise ``ValueError`` for attentions that aren't heads over a text's tokens.

    `n_tokens` is how many tokens the model reads, which has no decoder beside an encoder. Two attentions of one module
    with the same queries and keys are a differential one that couldn't be joined; a number of keys other than the
    tokens' means compressed keys. If the module is known for some attentions only, the others aren't of tokens: Inkling
    mixes its experts by the same function.

    Source: Ye et al. 2024, Differential Transformer, section 2.1.
    """
    if any(is_pair(one, other) for one, other in itertools.pairwise(attended)):
        _refuse(name, "differential")
    if any(each.query.shape[-2] == n_tokens != each.key.shape[-2] for each in attended):
        _refuse(name, "compressed")
    if len({each.module is None for each in attended}) > 1:
        _refuse(name, "unknown")


def check_encoder(name: str, kinds: Collection[str]) -> None:
    """Raise ``ValueError`` if no attention of the encoder was seen."""
    if "encoder" not in kinds:
        _refuse(name, "unknown")


def check_referee(name: str, attended: list[AttentionRecord], result: Any) -> None:
    """Raise ``ValueError`` unless the model returns the attention weights seen here."""
    own = result.get("attentions") if hasattr(result, "get") else None
    same = own is not None and len(own) == len(attended) and all(
        seen.weights is not None and each is not None and each.shape[1:] == seen.weights.shape
        and torch.allclose(each[0].float(), seen.weights.float(), rtol=1e-5, atol=1e-7)
        for seen, each in zip(attended, own, strict=False)
    )  # fmt: skip
    if not same:
        _refuse(name, "unknown")


def _refuse(name: str, why: str) -> None:
    message = f"{name} can't be looked into, expected softmax(Q Kᵀ) V of a text: {say(f'models.otherwise.{why}')}"
    raise RefusedError("model_otherwise", detail=message, otherwise=why)
