"""The board's data: a trace, and what explaining it needs.

Small matrices are sent as plain numbers, large ones as the bits of their float32: a thousand tokens make matrices of a
million numbers, which as text would be 20 MB each.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from attnviz.colours.palette import NEGATIVE, PAPER, PICKED, ROLES, Tone
from attnviz.colours.shading import all_limits
from attnviz.core.attention import AttentionTrace
from attnviz.core.given import GIVEN, HIDING
from attnviz.core.heads import as_seen, head_in_view, in_view, whole_name
from attnviz.core.layers import layer_in_view, placed
from attnviz.core.masks import PAINTED, Masked
from attnviz.core.rules import Rule, declaration, in_rows, scaling_of
from attnviz.core.rules.product import summed_factors
from attnviz.core.scenario import Scenario
from attnviz.core.stages import Stage, Table
from attnviz.core.tokens import token_labels, visible
from attnviz.core.trace import Trace
from attnviz.explanation import before_edits
from attnviz.explanation.explaining import Shapes, shapes_of
from attnviz.explanation.head_figures import heads_in_words
from attnviz.explanation.of_words import known_words
from attnviz.explanation.summary import LONGEST_NAME
from attnviz.words import by_language
from attnviz.words.numbers import DEFAULT_DIGITS, for_json

FITS = 16  # up to this many rows and columns, every cell of a matrix can be shown with its number
# The board draws matrices of at most this many columns. It doesn't limit the number of tokens.
MOST_COLUMNS = 128
FEW_DIGITS = 2  # decimals in cells, unless the reader asks for another number of decimals
# The fields of a stage that the page gets unchanged.
_SENT = (
    "name",
    "symbol",
    "title",
    "plain",
    "axes",
    "meaning",
    "rows",
    "columns",
    "origin",
    "short",
    "role",
    "head",
    "shared_by",
    "first",
    "first_own_key",
    "hidden_with",
    "masked_by",
    "layer",
    "owners",
)


def fits_board(scenario: Scenario) -> bool:
    """Whether the board can draw the matrices of a scenario."""
    return max(columns for _, columns in _in_cells(scenario)) <= MOST_COLUMNS


def has_numbers(scenario: Scenario) -> bool:
    """Whether all cells of a scenario can be shown with their numbers."""
    return max(size for shape in _in_cells(scenario) for size in shape) <= FITS


def _in_cells(scenario: Scenario) -> list[tuple[int, int]]:
    """Return the shapes of given matrices, without the biases by distance."""
    return [scenario.shape_of(name) for name in scenario.editable if GIVEN[placed(name)[1]].rows != "heads"]


def board_data(
    scenario: Scenario | None,
    trace: AttentionTrace,
    query: int,
    digits: int,
    some: tuple[str, ...] | None = None,
    features: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return a trace as JSON values; of its matrices, `some` are shown."""
    shown = [name for name in in_view(trace.stages) if some is None or name in some]
    return {
        **table_data(trace),
        "shown": shown,
        "limits": all_limits(trace),
        "roles": {**_tones(ROLES), **_tones({"negative": NEGATIVE, "paper": PAPER, "picked": PICKED})},
        "labels": list(token_labels(trace.tokens)),
        "names": list(token_labels(trace.tokens, LONGEST_NAME)),
        **_read(trace),
        "before": {} if scenario is None else _before(scenario, trace),
        "origins": {}
        if scenario is None
        else {name: _origins(scenario, whole_name(stage)) for name, stage in _given(scenario, trace)},
        "chance": trace.chance,
        "byClass": "" if scenario is None or trace.chance else known_words(scenario),
        "query": query,
        "head": head_in_view(trace.stages),
        "heads": heads_in_words(trace),
        "paints": scenario is not None and scenario.masking == PAINTED,
        "layers": 1 if scenario is None else scenario.n_layers,
        "layer": layer_in_view(trace.stages),
        "digits": digits,
        "cellDigits": cell_digits(digits),
        "features": list(features) if features else None,
    }


def _read(trace: AttentionTrace) -> dict[str, Any]:
    """Return the names of the tokens that are read.

    `others` tells whether they differ from the tokens that read.
    """
    return {
        "keys": list(token_labels(trace.read_tokens)),
        "readNames": list(token_labels(trace.read_tokens, LONGEST_NAME)),
        "others": any(stage.columns == "key" and stage.entries for stage in trace.stages.values()),
    }


def table_data(trace: Trace) -> dict[str, Any]:
    """Return the stages, matrices and tokens that the page computes with."""
    shapes = shapes_of(trace)
    return {
        "stages": [_sent(stage) | _declared(stage, trace.stages, shapes) for stage in trace.stages.values()],
        "matrices": packed(trace),
        "tokens": [visible(token) for token in trace.tokens],
    }


def _declared(stage: Stage, table: Table, shapes: Shapes) -> dict[str, Any]:
    """Return how a rule declares a stage's cells: its pieces, and shapes."""
    declared = () if stage.rule is None else declaration(stage.rule, *(shapes[source] for source in stage.sources))
    factors = summed_factors(stage, table, shapes)
    return {"declared": declared, "shape": shapes[stage.name]} | ({"factors": factors} if factors else {})


def _traits(rule: Rule, n_sources: int) -> dict[str, Any]:
    """Return what the page needs to know of a rule."""
    over, whole = rule.shares_over(n_sources), rule.sums_to_1(n_sources)
    shares = {"over": over, "all": whole, "powers": not rule.is_linear} if rule.makes_shares else None
    traits = {
        "product": rule.is_product,
        "divides": scaling_of(rule) is not None,
        "cuts": rule.cuts_rows,
        "signed": rule.is_signed,
        "shares": shares,
        "beside": rule.beside,
    }
    return {name: trait for name, trait in traits.items() if trait}


@by_language(512)
def _sent(stage: Stage) -> dict[str, Any]:
    """Return a stage as the page reads it; the result mustn't change."""
    return {
        **{name: getattr(stage, name) for name in _SENT},
        "rule": stage.kind,
        "sources": stage.sources,
        "called": stage.unnumbered("head").title,
        "settings": {} if stage.rule is None else stage.rule.settings,
        "is": {} if stage.rule is None else _traits(stage.rule, len(stage.sources)),
        "isVector": stage.is_vector,
        "entries": [visible(entry) for entry in stage.entries],
    }


def _tones(tones: Mapping[str, Tone]) -> dict[str, dict[str, str]]:
    return {name: tone._asdict() for name, tone in tones.items()}


def _before(scenario: Scenario, trace: AttentionTrace) -> dict[str, float | str]:
    """Return each edited cell's number before its edit, by its address."""
    drawn = {name: scenario.unedited(name) for name in {edit.matrix for edit in scenario.edits}}
    return {
        ",".join(map(str, place)): for_json(drawn[edit.matrix][edit.row, edit.column].item())
        for edit in scenario.edits
        if (place := as_seen(trace.stages, trace.matrices, *edit[:3]))
    }


def _given(scenario: Scenario, trace: AttentionTrace) -> list[tuple[str, Stage]]:
    """Return the stages that the scenario gives, not an earlier layer's."""
    return [(name, stage) for name, stage in trace.stages.items() if whole_name(stage) in scenario.editable]


def _origins(scenario: Scenario, name: str) -> list[str]:
    """Return where numbers come from: by row, or once for all."""
    by_row = GIVEN[placed(name)[1]].by_row
    return [before_edits(scenario, name, row) for row in range(scenario.shape_of(name)[0] if by_row else 1)]


def packed(trace: Trace) -> dict[str, dict[str, Any]]:
    """Return each matrix of a trace in compact form, by its name."""
    return {name: _packed(trace, name, matrix) | _whys(trace, name, matrix) for name, matrix in trace.matrices.items()}


def _whys(trace: Trace, name: str, matrix: torch.Tensor) -> dict[str, str]:
    """Return the reasons why a mask hides cells, as JSON.

    The cells of a reason are run lengths: so many that it doesn't hide, then so many that it hides, and so on.
    """
    stage = trace.stages[name]
    if all(other.masked_by != name for other in trace.stages.values()):
        return {}
    reasons = (stage.masked or Masked()).reasons(in_rows(matrix).cpu().numpy() == -np.inf, stage.first_own_key)
    whys = [why._asdict() | {"placed": placed, "cells": _lengths(cells.ravel())} for why, placed, cells in reasons]
    return {"whys": json.dumps(whys)}


def _lengths(cells: np.ndarray) -> list[int]:
    ends = np.flatnonzero(np.diff(cells)) + 1
    counts: list[int] = np.diff([0, *ends, cells.size]).tolist()
    return [0, *counts] if cells[0] else counts


def _packed(trace: Trace, name: str, tensor: torch.Tensor) -> dict[str, Any]:
    rows, columns = in_rows(tensor).shape
    shape = {"rows": rows, "columns": columns}
    if max(rows, columns) <= FITS:
        return shape | {"values": [for_json(value) for value in tensor.flatten().tolist()]}
    numbers = in_rows(tensor).cpu().numpy()
    quotient = _as_quotient(trace, trace.stages[name], numbers)
    if quotient is not None:
        return shape | quotient
    runs = _runs(numbers) if name in HIDING else []
    if runs:
        return shape | {"runs": runs}
    return shape | {"float32": bits_of(numbers)}


def cell_digits(digits: int) -> int:
    """Return how many digits cells have: fewer by default.

    >>> cell_digits(4), cell_digits(6)
    (2, 6)
    """
    return min(FEW_DIGITS, digits) if digits == DEFAULT_DIGITS else digits


def bits_of(numbers: np.ndarray) -> str:
    """Return numbers as little-endian float32 in base64, row by row.

    >>> bits_of(np.array([1.0, -0.0]))
    'AACAPwAAAIA='
    """
    return b64encode(numbers.astype("<f4").tobytes()).decode()


def _as_quotient(trace: Trace, stage: Stage, numbers: np.ndarray) -> dict[str, Any] | None:
    """Return how the page can compute scaled scores; None if bits differ."""
    scaling = scaling_of(stage.rule)
    if scaling is None:
        return None
    source, *masks = stage.sources
    divisor = float(np.float32(scaling.divisor))
    quotient = (in_rows(trace[source]).cpu().numpy() / np.float64(divisor)).astype(np.float32)
    for mask in masks:
        added = trace[mask].cpu().numpy()
        with np.errstate(invalid="ignore"):
            quotient = np.where(added == -np.inf, -np.inf, quotient + added).astype(np.float32)
    same = quotient.view(np.uint32) == numbers.view(np.uint32)
    if not (same | (np.isnan(quotient) & np.isnan(numbers))).all():
        return None
    return {"of": source, "dividedBy": divisor} | ({"plus": masks[0]} if masks else {})


def _runs(numbers: np.ndarray) -> list[tuple[int, float | str]]:
    """Return numbers as run lengths; nothing if that isn't shorter.

    >>> _runs(np.array([[0.0, -np.inf], [-np.inf, 0.0]] * 8))[:2]
    [(1, 0.0), (2, '-Infinity')]
    """
    flat = numbers.ravel()
    starts = np.concatenate([[0], np.flatnonzero(flat[1:] != flat[:-1]) + 1])
    if len(starts) * 4 > 3 * flat.size:
        return []
    counts = np.diff(np.append(starts, flat.size)).tolist()
    return [(count, for_json(value)) for count, value in zip(counts, flat[starts].tolist(), strict=True)]
