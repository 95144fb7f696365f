"""Attention that is written out: a softmax of products of queries and keys, times values, whoever wrote it.

What is done to the scores on their way to the softmax is followed from one operation to the next, by what it makes.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from attnviz.models.watching import Attended, Watch

if TYPE_CHECKING:
    from attnviz.models.editing import Editing

_MOST_PRODUCTS = 256  # that are followed at once; of these, all but the scores come to nothing
_MOST_LEARNED = 2**16  # numbers in a table of those that may be added to scores
_HIDES = -1e4  # a score from here on gets no share at all, whatever the others are
# What operations are called that leave numbers as they are, multiply, divide, add and subtract.
_SAME = frozenset({
    "to", "type", "type_as", "float", "double", "clone", "detach", "contiguous", "dropout", "view", "reshape",
    "flatten", "unflatten", "squeeze", "unsqueeze", "expand",
})  # fmt: skip
_TIMES, _OVER = frozenset({"mul", "rmul", "imul", "multiply"}), frozenset({"truediv", "div", "itruediv", "idiv"})
_PLUS, _MINUS = frozenset({"add", "radd", "iadd"}), frozenset({"sub", "isub"})


@dataclass(frozen=True)
class _Followed:
    """A product `tensor` of queries and keys, or what was made of it: times `scaling`, plus what was `added`, of which
    `bias` is no mask. `weights` are the softmax of it, where that was taken."""

    tensor: Tensor
    query: Tensor
    key: Tensor
    scaling: float = 1.0
    added: Tensor | None = None
    bias: Tensor | None = None
    weights: Tensor | None = None

    def plus(self, made: Tensor, other: Any, sign: float = 1.0) -> "_Followed":
        """What is made by adding something: a mask, where it hides and adds nothing else, or a bias."""
        added = torch.as_tensor(other, dtype=made.dtype, device=made.device).detach() * sign
        added = added.broadcast_to(made.shape)
        hides = added <= _HIDES
        bias = added.masked_fill(hides, 0.0)
        return replace(
            self, tensor=made,
            added=added if self.added is None else self.added + added,
            bias=self.bias if not bool(bias.any()) else bias if self.bias is None else self.bias + bias,
        )  # fmt: skip

    def without(self, made: Tensor, hidden: Tensor, value: Any) -> "_Followed":
        """What is made by putting one number where something is hidden."""
        if float(value) > _HIDES:
            return replace(self, tensor=made)
        added = torch.zeros_like(made) if self.added is None else self.added
        return replace(self, tensor=made, added=added.masked_fill(hidden, -math.inf))

    def times(self, made: Tensor, number: Any, *, over: bool = False) -> "_Followed":
        """What is made by multiplying all by one number, or dividing it by that."""
        if (isinstance(number, Tensor) and number.numel() != 1) or not float(number) > 0:
            return replace(self, tensor=made)
        factor = 1 / float(number) if over else float(number)
        added, bias = (None if each is None else each * factor for each in (self.added, self.bias))
        return replace(self, tensor=made, scaling=self.scaling * factor, added=added, bias=bias)

    def same(self, made: Tensor) -> "_Followed":
        """What is the same in another shape or precision."""
        shape = made.shape
        added, bias = (None if each is None else each.reshape(shape) for each in (self.added, self.bias))
        return replace(self, tensor=made, added=added, bias=bias)


class WrittenOut(Watch):
    """Sees attention that is written out with torch's operations, too: a product of queries and keys, a softmax over
    keys, and a product with values. A product with one of the `weights` is a projection."""

    def __init__(self, editing: "Editing | None" = None, weights: Iterable[Tensor] = ()) -> None:
        super().__init__(editing)
        self._weights = {each.data_ptr() for each in weights if each.dim() == 2}
        self._followed: dict[int, _Followed] = {}

    def __torch_function__(
        self, func: Callable[..., Any], types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Compute what torch would, and follow scores."""
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
        elif before is not None and isinstance(made, Tensor) and made.numel() == before.tensor.numel():
            self._keep(self._after(name, before, made, args, given))
        return made

    def _keep(self, followed: _Followed) -> None:
        self._followed[id(followed.tensor)] = followed
        while len(self._followed) > _MOST_PRODUCTS:
            del self._followed[next(iter(self._followed))]

    def _of(self, args: tuple[Any, ...], given: Mapping[str, Any]) -> _Followed | None:
        """Return what is known of the first operand that is followed."""
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
        """Follow a product that is made together with a sum, as by ``torch.baddbmm``."""
        added, one, other = (*args, *(given[key] for key in ("batch1", "batch2") if key in given))[:3]
        followed = _Followed(made, one, other.mT, float(given.get("alpha", 1.0)))
        self._keep(followed.plus(made, added, float(given.get("beta", 1.0))))

    def _softmax(self, func: Callable[..., Tensor], args: tuple[Any, ...], given: dict[str, Any]) -> Tensor:
        before = self._of(args, given)
        axis = given.get("dim", args[1] if len(args) > 1 else None)
        if before is None or axis not in (-1, before.tensor.dim() - 1):
            return func(*args, **given)
        if self.editing is not None:
            before, args = self._masked_anew(self.editing, before, args)
        made = func(*args, **given)
        self._keep(replace(before, tensor=made, weights=made))
        return made

    def _masked_anew(
        self, editing: "Editing", before: _Followed, args: tuple[Any, ...]
    ) -> tuple[_Followed, tuple[Any, ...]]:
        """Return scores with the changes of the mask."""
        scores = args[0]
        shape = (1, *scores.shape)[-3:]
        added = None if before.added is None else before.added.reshape(1, *shape)
        changed = editing.mask(len(self.attended), added, None, scores.reshape(1, *shape), scores.reshape(1, *shape).mT)
        if changed is None or changed is added:
            return before, args
        bare = torch.matmul(before.query, before.key.mT).reshape(shape) * before.scaling
        scores = (bare + changed[0]).reshape(scores.shape)
        return replace(before, tensor=scores, added=changed.reshape(scores.shape)), (scores, *args[1:])

    def _after(
        self, name: str, before: _Followed, made: Tensor, args: tuple[Any, ...], given: Mapping[str, Any]
    ) -> _Followed:
        """Return what is known of what an operation makes of scores, or of their softmax."""
        operands = (*args, *given.values())
        other = next((each for each in operands if each is not before.tensor), None)
        if name in _SAME:
            return before.same(made)
        if before.weights is None:
            is_first = operands[0] is before.tensor
            if name in _PLUS or (name in _MINUS and is_first):
                return before.plus(made, other, -1.0 if name in _MINUS else 1.0)
            if name in _TIMES:
                return before.times(made, other)
            if name in _OVER and is_first:
                return before.times(made, other, over=True)
            if name == "masked_fill" and is_first:
                return before.without(made, operands[1], operands[2])
            if name == "where" and len(operands) == 3:
                kept, value = operands[0], operands[2] if operands[1] is before.tensor else operands[1]
                if not isinstance(value, Tensor) or value.numel() == 1:
                    return before.without(made, ~kept if operands[1] is before.tensor else kept, value)
        return replace(before, tensor=made)

    def _read(
        self, known: _Followed, value: Tensor, func: Callable[..., Tensor], args: tuple[Any, ...], given: dict[str, Any]
    ) -> Tensor:
        """Compute contexts, and keep the attention that makes them."""
        made, weights = func(*args, **given), known.tensor
        number, editing = len(self.attended), self.editing
        added = None if known.added is None else known.added.masked_fill(known.added <= _HIDES, -math.inf)
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
                None if added is None else added.reshape(four[1]),
            )
            assert changed is not None
            made, weights = contexts.transpose(1, 2).reshape(made.shape), changed.reshape(weights.shape)
        self._followed.clear()
        self.attend(known.query, known.key, value, added, known.scaling, weights, made, bias=known.bias)
        return made


def learned_in(attended: list[Attended], parameters: Iterable[Tensor]) -> list[Attended]:
    """Return attentions that say of what is added to their scores whether its numbers are weights of the model."""
    if all(each.bias is None for each in attended):
        return attended
    tables = [each.detach() for each in parameters if each.dim() >= 2 and each.numel() <= _MOST_LEARNED]
    known: dict[int, bool] = {}
    found = []
    for each in attended:
        if each.bias is not None and each.added is not None:
            numbers = torch.unique(each.bias[0][each.added[0] > -math.inf])
            key = hash(tuple(numbers[:8].tolist()))
            if key not in known:
                known[key] = any(bool(torch.isin(numbers, table.to(numbers.dtype)).all()) for table in tables)
            each = replace(each, learned=known[key])
        found.append(each)
    return found
