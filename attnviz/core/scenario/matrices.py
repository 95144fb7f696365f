"""The matrices that a scenario gives: checked, drawn, replaced and edited."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import torch
from torch import Tensor

from attnviz.core import limits
from attnviz.core.given import GIVEN
from attnviz.core.layers import in_layer, kept_for, placed
from attnviz.core.limits import RefusedError
from attnviz.core.machine import resolve_device
from attnviz.core.matrix_input import Edit, example_of, is_editable, numbers_given, plain, random_seed, wrong_shape
from attnviz.core.matrix_input import checked_edit as plain_edit
from attnviz.core.scenario.derived import Derived
from attnviz.core.seeding import FLOAT32_ON_CPU, generator_for
from attnviz.core.seeding.vectors import stated_vectors
from attnviz.core.seeding.weights import Widths, drawn_weights
from attnviz.core.stages import BY_DISTANCE, E_MEMORY, ITSELF, P_MEMORY, Y
from attnviz.core.trace import run
from attnviz.core.what_if import WhatIf
from attnviz.words import Later


def check_matrices(scenario: Derived) -> None:
    """Raise ``ValueError`` for an unknown replaced matrix, or a wrong shape."""
    for name, by in scenario.replaced.items():
        _check_is_there(scenario, name)
        given = numbers_given(name, by)
        if given is not None:
            by_word = isinstance(by, str) and name == scenario.token_matrix  # these fit any number of tokens
            shape = (len(scenario.tokens) if by_word else len(given), len(given[0]))
            if shape != scenario.shape_of(name):
                raise wrong_shape(name, shape, scenario.shape_of(name))
            if name == "w_v" and shape[1] % scenario.kv_heads:
                raise RefusedError("heads_w_v", columns=shape[1], heads=scenario.kv_heads)


def checked_edits(scenario: Derived, edits: Iterable[Any]) -> tuple[Edit, ...]:
    """Return edits that fit a scenario, the last of each cell.

    Raises ``ValueError`` for the first that does not, or for too many.
    """
    cells: dict[tuple[str, int, int], Edit] = {}
    if not isinstance(edits, Iterable):
        raise RefusedError("no_edit", value=edits)
    for given in edits:
        edit = checked_edit(scenario, given)
        cells[edit[:3]] = edit
    if len(cells) > limits.MAX_EDITS:
        n, most = len(cells), limits.MAX_EDITS
        raise RefusedError("edits", n=n, most=most)
    return tuple(cells.values())


def checked_edit(scenario: Derived, given: Any) -> Edit:
    """Return an edit that fits a scenario.

    Raises ``ValueError`` naming its cell for one that does not.
    """
    edit = plain_edit(given)
    _check_is_there(scenario, edit.matrix)
    n_rows, n_columns = scenario.shape_of(edit.matrix)
    if not (0 <= edit.row < n_rows and 0 <= edit.column < n_columns):
        raise RefusedError(
            "outside", matrix=edit.matrix, row=edit.row, column=edit.column, rows=n_rows, columns=n_columns
        )
    return edit


def plain_deeper(given: Any) -> tuple[tuple[str, Any], ...]:
    """Return later layers' replaced matrices as pairs, sorted by name.

    Raises ``ValueError`` for anything but a mapping from such names.
    """
    try:
        pairs = dict(given)
    except (TypeError, ValueError):
        raise RefusedError("no_matrix", value=given) from None
    for name in pairs:
        if not isinstance(name, str) or not is_editable(name) or not placed(name)[0]:
            raise RefusedError("no_matrix", value=name)
    return tuple(sorted((name, plain(name, by)) for name, by in pairs.items() if by is not None))


def _check_is_there(scenario: Derived, name: str) -> None:
    """Raise ``ValueError`` if a matrix is switched off or computed from others."""
    if name in scenario.editable:
        return
    layer, own = placed(name)
    if layer >= scenario.n_layers:
        raise RefusedError("layers_off", matrix=own, layer=layer, n=scenario.n_layers)
    if layer and scenario.same_layers:
        raise RefusedError("layers_same", matrix=own, layer=layer)
    row = GIVEN[own]
    if row.rows == "second" and not scenario.n_memory:
        raise RefusedError("reads_off", matrix=name)
    if row.made_of:
        e, p = row.made_of
        if not scenario.adds_positions:
            raise RefusedError("is_product", matrix=name, table=e)
        raise RefusedError("is_sum", matrix=name, table=e, other=p)
    if row.off:
        raise RefusedError(row.off, matrix=name)
    limits.check_choice("matrix", name, scenario.editable)


Whole = TypeVar("Whole", bound=Derived)
_AS_ITS_OWN = {Y: "x", E_MEMORY: "e", P_MEMORY: "p"}


def read_alone(scenario: Whole) -> Whole:
    """Return the scenario of the kept sentence alone, with the same matrices.

    The caller replaces its token vectors by those of Y.

    A causal mask, for example, hides keys here, too. A mask given cell by cell and padding belong to the sentence that
    comes after this one, so they hide nothing here.
    """
    nothing: dict[str, Any] = dict.fromkeys(name for name, row in GIVEN.items() if row.of_sentence)
    if not scenario.mask_kind.of_all or scenario.mask is not None:
        nothing |= {"masking": "none", "causal": False}
    switches = WhatIf(WhatIf.read(scenario.what_if).chosen)  # without typed scores: they are the other sentence's
    edits = tuple(edit for edit in scenario.edits if not GIVEN[placed(edit.matrix)[1]].of_sentence)
    return replace(scenario, **nothing, text=scenario.second, reads=ITSELF, what_if=switches.text, edits=edits)


def run_alone(alone: "Matrices", given: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Compute all matrices of the kept sentence alone, from :func:`read_alone`.

    `given` holds the given matrices of the sentence after it.
    """
    own = alone.given_to_stages[0]
    starts = dict(own)
    for kept, name in _AS_ITS_OWN.items():
        if in_layer(0, kept) in given and in_layer(0, name) in own:
            starts[in_layer(0, name)] = given[in_layer(0, kept)]
    if (distances := given.get(in_layer(0, BY_DISTANCE))) is not None:
        far = (distances.shape[1] + 1) // 2 - len(alone.tokens)  # this sentence is shorter: it takes the middle columns
        starts[in_layer(0, BY_DISTANCE)] = distances[:, far : distances.shape[1] - far]
    return run(alone.table, starts)


def kept_in_layers(alone: "Matrices", given: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the kept sentence's vectors for each later layer, by name.

    Source: Dai et al. 2019, Transformer-XL, section 3.2.
    """
    matrices = run_alone(alone, given)
    return {kept_for(layer): matrices[in_layer(layer, "x")] for layer in range(1, alone.n_layers)}


class Matrices(Derived):
    """A scenario with the numbers of its given matrices, each by name."""

    def is_published(self, row: int, name: str = "x") -> bool:
        """Whether a token's vector is a published one, before edits."""
        limits.check_type("name", name, str, "a matrix's name")
        name = self.called(name)
        row = limits.check_whole("row", row, 0, len(self.tokens_of(name)) - 1)
        drawn = getattr(self, name) is None or (name == self.token_matrix and row in self.rows_beside_example)
        return drawn and self.made_by.is_published(self.tokens_of(name)[row], self.d_in)

    @cached_property
    def rows_beside_example(self) -> tuple[int, ...]:
        """Rows of tokens without a vector in the worked example, drawn instead."""
        stated = stated_vectors(example_of(getattr(self, self.token_matrix)))
        return tuple(row for row, token in enumerate(self.tokens) if stated and token not in stated)

    def unedited(self, name: str) -> Tensor:
        """Return an editable matrix before its edits, ``(rows, columns)``, float32, CPU."""
        limits.check_choice("matrix", name, self.editable)
        held = self._held
        if name not in held:
            held[name] = self._made(name)
        return held[name].clone()

    @cached_property
    def _held(self) -> dict[str, Tensor]:
        """A cache of matrices before edits, shared by scenarios with other edits."""
        return {}

    def _made(self, name: str) -> Tensor:
        given = self.replacement(name)
        if name == self.token_matrix and (stated := stated_vectors(example_of(given))):
            vectors = self.made_by.vectors(self.tokens, self.d_in, self.seed, self.chosen_classes)
            for row in set(range(len(self.tokens))).difference(self.rows_beside_example):
                vectors[row] = torch.tensor(stated[self.tokens[row]], **FLOAT32_ON_CPU)
            return vectors
        numbers = numbers_given(name, given)
        if numbers is not None:
            return torch.tensor(numbers, **FLOAT32_ON_CPU)
        if given == "identity":
            return torch.eye(*self.shape_of(name), **FLOAT32_ON_CPU)
        if given == "zeros":
            return torch.zeros(*self.shape_of(name), **FLOAT32_ON_CPU)
        seed = random_seed(given)
        layer, own = placed(name)
        if draw := GIVEN[own].draw:
            if seed is None:
                return draw(self)
            return torch.randn(*self.shape_of(name), generator=generator_for(seed), **FLOAT32_ON_CPU)
        drawn = (self._weights[layer] if seed is None else self._draw(seed, 1)[0])[own]
        return drawn if drawn.dim() == 2 else self._as_row(name, drawn)

    def _as_row(self, name: str, bias: Tensor) -> Tensor:
        width = self.shape_of(name)[1]
        return (bias if len(bias) == width else torch.zeros(width, **FLOAT32_ON_CPU)).unsqueeze(0)

    def _draw(self, seed: int, n_layers: int) -> tuple[dict[str, Any], ...]:
        widths = Widths(
            self.d_in, self.d_out, self.width_of_keys, self.drawn_d_v, self.width_of_context, self.output, self.d_ff
        )
        return drawn_weights(seed, self.init, self.bias, widths, n_layers)

    @cached_property
    def _weights(self) -> tuple[dict[str, Any], ...]:
        return self._draw(self.seed, self.n_layers)

    def matrix(self, name: str) -> Tensor:
        """Return an editable matrix with its edits, ``(rows, columns)``, float32, CPU.

        A vector is one row.
        """
        edits = [edit for edit in self.edits if edit.matrix == name]
        matrix = self.unedited(name)
        for edit in edits:
            matrix[edit.row, edit.column] = edit.value
        return matrix

    @property
    def inputs(self) -> Tensor:
        """X as attention gets it, ``(n_tokens, d_in)`` on the CPU.

        If positions are added, it's E + P; with `embedding_factor`, E is multiplied by √d_in first.
        """
        e = self.matrix(self.token_matrix)
        e = e * math.sqrt(self.d_in) if self.embedding_factor else e
        return e + self.matrix("p") if self.adds_positions else e

    @cached_property
    def given_to_stages(self) -> tuple[dict[str, Tensor], tuple[Later, ...]]:
        """The table's given matrices by name, on the device; and notices."""
        device, notice = resolve_device(self.device)
        given = {}
        for name in self.editable:
            matrix = self.matrix(name).to(device)
            given[self.stage(name).name] = matrix[0] if GIVEN[placed(name)[1]].is_vector else matrix
        if self.n_memory and self.n_layers > 1:
            given |= kept_in_layers(read_alone(self), given)
        return given, (notice,) if notice else ()
