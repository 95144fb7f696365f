"""The places where changes are made while a model computes.

The model's own weights stay untouched.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import torch

from attnviz.features.language_models.inside.edits import EVEN, MASK, OFF, PARTS, WEIGHTS, Editing, ModelEdit
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.layers.other_layers import OtherLayer
from attnviz.features.language_models.inside.projections import Projected
from attnviz.words import Later, later


def editing_of(edits: Sequence[ModelEdit], layers: Sequence[Layer | OtherLayer]) -> Editing:
    """Return the place of each change, by the unchanged model's layers.

    Raises ``ValueError`` for a place that isn't there, and for a weight whose place isn't known.
    """
    editing = Editing()
    for edit in edits:
        if not 0 <= edit.layer < len(layers):
            raise ValueError(f"there is no layer {edit.layer} for {edit}, expected one up to {len(layers) - 1}")
        layer = layers[edit.layer]
        if isinstance(layer, OtherLayer):
            raise ValueError(f"layer {edit.layer} has no attention to change by {edit}: {layer}")
        if edit.matrix == EVEN:
            editing.even.update(layer.calls)
            continue
        assert edit.head is not None
        if edit.head >= layer.n_heads or edit.head < 0:
            raise ValueError(f"there is no head {edit.head} for {edit}, expected one up to {layer.n_heads - 1}")
        if edit.matrix == OFF:
            for attention, head in layer.places(edit.head):
                editing.off[attention].append(head)
        elif edit.matrix == MASK:
            _check_place(edit, (layer.attended.query.shape[-2], layer.attended.key.shape[-2]))
            for attention, head in layer.places(edit.head):
                editing.masks[attention].append((head, (edit.row, edit.column, edit.value)))
        else:
            _lay_cell(editing, edit, edit.head, layer)
    _check_readable(editing, [layer for layer in layers if isinstance(layer, Layer)])
    return editing


def _lay_cell(editing: Editing, edit: ModelEdit, head: int, layer: Layer) -> None:
    part = edit.matrix[-1]
    tensor = getattr(layer.attended, {"q": "query", "k": "key", "v": "value"}[part])
    own = head if part == "q" else head * len(tensor) // layer.n_heads  # query heads may share keys
    made = layer.projected[part](own)
    if edit.matrix in PARTS:
        _check_place(edit, tuple(tensor.shape[-2:]))
        if made is None and layer.attended.subtracted is not None:
            raise ValueError(f"{edit.matrix} isn't known of layer {edit.layer}, expected one that a weight makes")
        if made is None:
            editing.parts[layer.attention, part].append((own, (edit.row, edit.column, edit.value)))
        else:
            pointer = made.projection.pointer
            editing.products[layer.attention, pointer].append((edit.row, made.all_columns[edit.column], edit.value))
        return
    if made is None or (edit.matrix.startswith("b_") and made.bias is None):
        raise ValueError(f"{edit.matrix} isn't known of layer {edit.layer}, head {head}, expected a matrix of it")
    _lay_weight(editing, edit, made)


def _lay_weight(editing: Editing, edit: ModelEdit, made: Projected) -> None:
    assert edit.matrix in WEIGHTS
    if edit.matrix.startswith("w_"):
        _check_place(edit, tuple(made.weight.shape))
        weight = made.projection.weight
        changed = editing.weights.setdefault(made.projection.pointer, weight.clone())
        changed[edit.row, made.all_columns[edit.column]] = edit.value
        return
    bias = made.projection.bias
    assert bias is not None
    _check_place(edit, (1, made.weight.shape[1]))
    changed = editing.biases.setdefault(bias.data_ptr(), bias.clone())
    changed[made.all_columns[edit.column]] = edit.value


def _check_place(edit: ModelEdit, shape: tuple[int, ...]) -> None:
    if not (0 <= edit.row < shape[0] and 0 <= edit.column < shape[1]):
        raise ValueError(
            f"there is no row {edit.row}, column {edit.column} for {edit}, expected {shape[0]} by {shape[1]}"
        )


def _check_readable(editing: Editing, layers: Sequence[Layer]) -> None:
    """Raise ``ValueError`` for a mask that leaves a token nothing to read."""
    for number, changes in editing.masks.items():
        layer = next(each for each in layers if number in each.calls)
        attended = layer.attended
        shape = (layer.n_heads * attended.calls, attended.query.shape[-2], attended.key.shape[-2])
        added = torch.zeros(shape) if attended.added is None else attended.added.float()
        added = added.repeat(attended.calls if len(added) > 1 else 1, 1, 1).expand(shape).clone()
        for head, (row, column, value) in changes:
            added[head, row, column] = value
        for head, (row, _, _) in changes:
            if bool((added[head, row] == -math.inf).all()):
                raise ValueError(
                    f"the mask of layer {layer.number}, head {head % layer.n_heads} hides all tokens from row {row},"
                    " expected one to read"
                )


def edited_matrices(edits: Sequence[ModelEdit], layer: int, n_heads: int, n_kv_heads: int) -> dict[int, set[str]]:
    """Return each head's changed matrices; shared keys change in all their heads."""
    changed: dict[int, set[str]] = defaultdict(set)
    for edit in edits:
        if edit.layer != layer:
            continue
        shared = n_heads // n_kv_heads if edit.matrix[-1] in ("k", "v") and edit.matrix != MASK else 1
        for head in range(n_heads):
            if edit.head is None or head // shared == edit.head // shared:
                changed[head].add(edit.matrix)
    return changed


def all_changed(
    edits: Sequence[ModelEdit], layers: Sequence[Layer | OtherLayer], before: Sequence[Layer | OtherLayer]
) -> tuple[Layer | OtherLayer, ...]:
    """Return a changed model's layers, each with its changes."""
    return tuple(
        as_changed(edits, layer, plain) if isinstance(layer, Layer) and isinstance(plain, Layer) else layer
        for layer, plain in zip(layers, before, strict=True)
    )


def as_changed(edits: Sequence[ModelEdit], layer: Layer, before: Layer) -> Layer:
    """Return a layer that lists its changes and keeps `before`'s kind."""
    changed = edited_matrices(edits, layer.number, layer.n_heads, len(layer.attended.key))
    attended = replace(layer.attended, bias=before.attended.bias, learned=before.attended.learned)
    return replace(
        layer,
        attended=attended,
        kind=before.kind,
        changed={head: tuple(sorted(names)) for head, names in changed.items()},
    )


def notices_of(edits: Sequence[ModelEdit], layers: Sequence[Layer | OtherLayer]) -> tuple[Later, ...]:
    """Return a notice for each decoder head changed to read later tokens."""
    places = {
        (edit.layer, edit.head): None
        for edit in edits
        if edit.matrix == MASK
        and edit.column > edit.row
        and edit.value > -math.inf
        and layers[edit.layer].kind == "decoder"
    }
    return tuple(later("models.notices.future", layer=layer, head=head) for layer, head in places)
