"""Changes of a model, their written form, and attention computed with them."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnviz.core.limits import check_choice, in_short

Parts = tuple[Tensor, Tensor, Tensor]  # queries, keys and values
Cell = tuple[int, int, float]  # (row, column, new value)

MOST_EDITS = 64
OFF, EVEN, MASK = "off", "even", "mask"
PARTS = ("q", "k", "v")
WEIGHTS = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
CELLS = (*PARTS, *WEIGHTS, MASK)  # matrices in which a number can be changed
_FORM = re.compile(
    r"(\d{1,4})\.(?:(even)|(\d{1,4})\.(?:(off)|(\w{1,4})\.(\d{1,6})\.(\d{1,6})=(-?[\w.+-]{1,24})))", re.ASCII
)


@dataclass(frozen=True)
class ModelEdit:
    """One change of a model while it computes; indices start at 0.

    A number of a head: ``ModelEdit(3, 1, "q", 10, 0, 2.5)`` puts 2.5 into row 10, column 0 of Q. The matrix may be "q",
    "k" or "v" (before rotary positions, if the model has them), "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", or "mask",
    where ``-math.inf`` hides a key. A head switched off, so that its contexts are zeros: ``ModelEdit(3, 1, "off")``. A
    layer whose heads read all that they may read evenly: ``ModelEdit(2, None, "even")``.

    >>> str(ModelEdit(3, 1, "q", 10, 0, 2.5)), str(ModelEdit(3, 1, "off")), str(ModelEdit(2, None, "even"))
    ('3.1.q.10.0=2.5', '3.1.off', '2.even')
    >>> ModelEdit.read("3.1.mask.0.2=-inf")
    ModelEdit(layer=3, head=1, matrix='mask', row=0, column=2, value=-inf)
    """

    layer: int
    head: int | None
    matrix: str
    row: int = 0
    column: int = 0
    value: float = 0.0

    def __str__(self) -> str:
        if self.matrix == EVEN:
            return f"{self.layer}.{EVEN}"
        place = f"{self.layer}.{self.head}.{self.matrix}"
        return place if self.matrix == OFF else f"{place}.{self.row}.{self.column}={float(self.value)!r}"

    @classmethod
    def read(cls, text: str) -> "ModelEdit":
        """Return the change that a text describes, or raise ``ValueError``."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError(f"a change of a model is {in_short(text)}, expected 3.1.q.10.0=2.5, 3.1.off or 2.even")
        layer, even, head, off, matrix, row, column, value = found.groups()
        if even:
            return cls(int(layer), None, EVEN)
        if off:
            return cls(int(layer), int(head), OFF)
        edit = cls(int(layer), int(head), matrix, int(row), int(column), _number(value, text))
        edit.check()
        return edit

    def check(self) -> None:
        """Raise ``ValueError`` for a change that no model can have."""
        check_choice("matrix", self.matrix, (*CELLS, OFF, EVEN))
        if (self.head is None) != (self.matrix == EVEN):
            raise ValueError(f"head is {self.head}, expected None for {EVEN!r}, and a number for all else")
        hides = self.matrix == MASK and self.value == -math.inf
        if not hides and not abs(self.value) <= 3.4e38:
            raise ValueError(f"value is {self.value} for {self}, expected a finite number, or -inf for the mask")

    @property
    def of_model(self) -> bool:
        """Whether the edit changes the model itself, not one text's numbers."""
        return self.matrix in (*WEIGHTS, OFF, EVEN)


def as_edits(given: Iterable[ModelEdit | str]) -> tuple[ModelEdit, ...]:
    """Return changes, given as such or as texts.

    Of several changes of one place, the latest counts. Raises ``ValueError`` for anything else, and for too many.
    """
    edits = [ModelEdit.read(each) if isinstance(each, str) else each for each in given]
    for each in edits:
        if not isinstance(each, ModelEdit):
            raise ValueError(f"a change of a model is {in_short(each)}, expected a ModelEdit")
        each.check()
    latest = {(each.layer, each.head, each.matrix, each.row, each.column): each for each in edits}
    if len(latest) > MOST_EDITS:
        raise ValueError(f"there are {len(latest)} changes of a model, expected at most {MOST_EDITS}")
    return tuple(latest.values())


def _number(raw: str, text: str) -> float:
    try:
        return float(raw.replace("_", "?"))
    except ValueError:
        raise ValueError(f"a change of a model is {in_short(text)}, whose {in_short(raw)} is no number") from None


@dataclass
class Editing:
    """Changes by their place, for a model while it computes."""

    weights: dict[int, Tensor] = field(default_factory=dict)  # address of a model's own weight -> changed one
    biases: dict[int, Tensor] = field(default_factory=dict)
    products: dict[tuple[int, int], list[Cell]] = field(default_factory=lambda: defaultdict(list))  # attention, weight
    parts: dict[tuple[int, str], list[tuple[int, Cell]]] = field(default_factory=lambda: defaultdict(list))
    masks: dict[int, list[tuple[int, Cell]]] = field(default_factory=lambda: defaultdict(list))
    off: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    even: set[int] = field(default_factory=set)
    frozen: dict[int, Tensor] = field(default_factory=dict)  # attention -> weights that replace its own

    def touches(self, number: int) -> bool:
        """Whether anything in an attention is changed, besides products before it."""
        parts = any(attention == number for attention, _ in self.parts)
        return parts or number in self.masks or number in self.off or number in self.even or number in self.frozen

    def part(self, number: int, name: str, tensor: Tensor) -> Tensor:
        """Return an attention's q, k or v ``(1, heads, tokens, d)``, changed."""
        changes = self.parts.get((number, name))
        if not changes:
            return tensor
        changed = tensor.clone()
        for head, (row, column, value) in changes:
            changed[..., head, row, column] = value
        return changed

    def mask(
        self, number: int, mask: Tensor | None, beside: Tensor | None, query: Tensor, key: Tensor
    ) -> Tensor | None:
        """Return the changed mask; the model adds `beside` to it later."""
        changes = self.masks.get(number)
        if not changes:
            return mask
        shape = (1, query.shape[-3], query.shape[-2], key.shape[-2])
        changed = query.new_zeros(shape) if mask is None else mask[..., : key.shape[-2]].expand(shape).clone()
        for head, (row, column, value) in changes:
            added = 0.0 if beside is None else float(beside.expand(shape)[0, head, row, column])
            changed[0, head, row, column] = value - added
        return changed

    def product(self, number: int, pointer: int, made: Tensor) -> Tensor:
        """Return a product in which changed queries, keys or values are replaced."""
        changes = self.products.get((number, pointer))
        if not changes:
            return made
        changed = made.clone()
        for row, column, value in changes:
            changed.view(-1, made.shape[-1])[row, column] = value
        return changed

    def result(
        self, number: int, output: Tensor, weights: Tensor | None, value: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return contexts ``(1, tokens, heads, d)`` and weights with changed heads."""
        replaced = self.frozen.get(number)
        if number in self.even and replaced is None and weights is not None:
            readable = torch.ones_like(weights, dtype=torch.bool)
            if mask is not None:
                readable &= mask[..., : weights.shape[-1]] > torch.finfo(mask.dtype).min / 2
            replaced = readable.to(weights.dtype) / readable.sum(-1, keepdim=True)
        if replaced is not None and weights is not None:
            weights = replaced.expand(weights.shape)
            each = value.repeat_interleave(weights.shape[-3] // value.shape[-3], dim=-3)
            output = (weights @ each).transpose(1, 2).contiguous()
        if heads := self.off.get(number):
            output = output.clone()
            output[..., heads, :] = 0.0
        return output, weights


def changed_dot_product(
    editing: Editing, number: int, parts: list[Tensor], added: Tensor | None, scaling: float,
    compute: Callable[..., Tensor], **more: Any,
) -> tuple[Parts, Tensor | None, Tensor | None, Tensor]:  # fmt: skip
    """Compute ``F.scaled_dot_product_attention`` with changes; parts are ``(1, heads, tokens, d)``.

    Returns the parts, what is added to scores, the weights (None unless even), and the contexts.
    """
    query, key, value = (editing.part(number, name, each) for name, each in zip("qkv", parts, strict=True))
    added = editing.mask(number, added, None, query, key)
    made = compute(query, key, value, attn_mask=added, scale=scaling, **more)
    weights = query.new_zeros(*query.shape[:-1], key.shape[-2]) if number in editing.even else None
    turned, weights = editing.result(number, made.transpose(1, 2), weights, value, added)
    return (query, key, value), added, weights, turned.transpose(1, 2)


def changed_multi_head(
    editing: Editing, number: int, parts: list[Tensor], added: Tensor | None, given: Mapping[str, Any]
) -> tuple[Parts, Tensor | None, Tensor, Tensor, tuple[Tensor, Tensor | None]]:
    """Compute ``F.multi_head_attention_forward`` with changes; parts are ``(heads, tokens, d)``.

    Returns the parts, what is added to scores, the weights, the contexts, and the function's own result.
    """
    query, key, value = (editing.part(number, name, each[None]) for name, each in zip("qkv", parts, strict=True))
    added = editing.mask(number, None if added is None else added[None], None, query, key)
    heads, n_queries, d = query.shape[1:]
    q, k, v = (each[0].transpose(0, 1).flatten(1) for each in (query, key, value))
    # Projecting by the identity leaves queries, keys and values the same to the last bit, so that torch's own function
    # can return contexts and weights.
    same = torch.eye(heads * d, dtype=query.dtype, device=query.device)
    mask = None if added is None else added.expand(1, heads, n_queries, -1)[0]
    contexts, weights = F.multi_head_attention_forward(
        q, k, v, heads * d, heads, torch.cat([same] * 3), None, None, None, False, 0.0, same, None,
        training=False, need_weights=True, attn_mask=mask, average_attn_weights=False,
    )  # fmt: skip
    assert weights is not None
    contexts, weights = editing.result(number, contexts.view(1, n_queries, heads, d), weights[None], value, added)
    assert weights is not None
    out = F.linear(contexts.flatten(2)[0], given["out_proj_weight"], given["out_proj_bias"])
    returned = out.reshape(*given["query"].shape[:-1], out.shape[-1]), _returned(weights, given)
    return (query, key, value), added, weights, contexts.transpose(1, 2), returned


def _returned(weights: Tensor, given: Mapping[str, Any]) -> Tensor | None:
    """Return weights ``(1, heads, queries, keys)`` in the form asked for."""
    if not given["need_weights"]:
        return None
    asked = weights.mean(1) if given["average_attn_weights"] else weights
    return asked if given["query"].dim() == 3 else asked[0]
