"""Where given numbers are from, and what was changed in a set-up."""

import math

from attnviz.core.arguments import typed
from attnviz.core.given import GIVEN
from attnviz.core.heads import whole_name
from attnviz.core.layers import is_kept_for, is_stack, placed
from attnviz.core.matrix_input import EXAMPLE_FILL, RANDOM_FILL, Edit, example_of
from attnviz.core.rules import Factor, in_rows
from attnviz.core.scenario import Scenario, traced
from attnviz.core.seeding import INITIALIZATIONS
from attnviz.core.seeding.vectors import called, chosen_matrices, examples_made_by_hand
from attnviz.core.stages import ALL_STAGES, BIASES
from attnviz.core.tokens import visible
from attnviz.core.what_if import WhatIf
from attnviz.words import say
from attnviz.words.numbers import significant, written


def setting_in_words(name: str, value: object) -> str:
    """Return a setting's value in words; sentences are quoted, invisible characters shown.

    >>> setting_in_words("temperature", 0.8164965809277)
    '0.816497'
    >>> setting_in_words("causal", True), setting_in_words("text", "a cat"), setting_in_words("init", "normal")
    ('on', '“a cat”', 'normal')
    """
    if isinstance(value, bool):
        return say("compare.changes.on") if value else say("compare.changes.off")
    if name in ("text", "second"):
        return say("compare.changes.text", text=" ".join(map(visible, str(value).split(" "))))
    if value is None:
        return say("compare.changes.as_d_out" if name == "d_v" else "compare.changes.off")
    if isinstance(value, float):
        return significant(value)
    if name == "what_if":
        return _switches_in_words(str(value))
    return str(value)


def _switches_in_words(text: str) -> str:
    on = WhatIf.read(text)
    told = [say(f"what_if.{name}.{setting.replace('-', '_')}.choice") for name, setting in on.chosen.items()]
    told += [
        say("what_if.typed.told", cell=f"S[{row}, {column}]", number=significant(number))
        for row, column, number in on.typed
    ]
    return ", ".join(told) or say("what_if.usual")


def filled_with(by: object) -> str:
    """Say what a whole matrix was replaced by.

    >>> filled_with("random:7"), filled_with("example:love-ai")
    ('random, from seed 7', 'as in the worked example “I love AI”')
    """
    if not isinstance(by, str):
        return say("summary.by.given")
    if by.startswith(EXAMPLE_FILL):
        return say("summary.by.example", which=called(by.removeprefix(EXAMPLE_FILL)))
    if by.startswith(RANDOM_FILL):
        return say("summary.by.random", which=by.removeprefix(RANDOM_FILL))
    return say(f"summary.by.{by}")


def symbol_in_words(name: str) -> str:
    """Return an editable matrix's symbol, with the number of a later layer.

    >>> symbol_in_words("layers.1.w_q")
    'layer 1, W_q'
    """
    layer, own = placed(name)
    symbol = ALL_STAGES[own].symbol
    return say("stages.layer.symbol", symbol=symbol, layer=layer) if layer else symbol


def replaced_in_words(scenario: Scenario) -> dict[str, str]:
    """Return, for each replaced matrix, what it was replaced by.

    >>> replaced_in_words(Scenario(w_q="identity"))
    {'w_q': 'W_q: the identity matrix'}
    """
    replaced = scenario.replaced
    symbols = {name: symbol_in_words(name) for name in replaced}
    return {name: say("editor.replaced", symbol=symbols[name], by=filled_with(by)) for name, by in replaced.items()}


def edits_in_words(scenario: Scenario, digits: int) -> dict[Edit, str]:
    """Say of each changed number what it was and what it is.

    >>> list(edits_in_words(Scenario(edits=[("w_q", 0, 1, 0.9)]), 2).values())
    ['W_q[0, 1]: 0.52 → 0.90']
    """
    drawn = {name: scenario.unedited(name) for name in {edit.matrix for edit in scenario.edits}}
    return {
        edit: say(
            "editor.edit", symbol=symbol_in_words(edit.matrix), row=edit.row, column=edit.column,
            before=written(drawn[edit.matrix][edit.row, edit.column].item(), digits), now=written(edit.value, digits),
        )
        for edit in scenario.edits
    }  # fmt: skip


def origin(scenario: Scenario | None, given: Factor, shape: tuple[int, int], digits: int) -> str:
    """Return where a given cell's number is from; `shape` is its matrix's.

    Raises ``ValueError`` for a scenario that has another number there.

    >>> from attnviz.core.stages import EVERY_STAGE
    >>> x = Factor(EVERY_STAGE["x"], 1, 2, 0.66)
    >>> origin(None, x, (6, 3), 4)
    'Given: made from nothing else here'
    """
    if scenario is None:
        return say("explanation.given.unknown")
    stage, row, column, value = given
    if is_kept_for(stage.name):
        return _origin_of_kept(scenario, given)
    if is_stack(scenario.table) and (made := scenario.table.get(stage.name)) is not None and made.rule is not None:
        return _origin_in_layer(scenario, given)
    name, column = whole_name(stage), column + stage.first
    if name not in scenario.editable:
        off = "bias is False" if name in BIASES else f"{', '.join(scenario.editable)} are given"
        raise ValueError(f"{name} is in the trace, but {off} in the scenario")
    if stage.head is None and scenario.shape_of(name) != shape:
        raise ValueError(f"{name} has shape {shape} in the trace and {scenario.shape_of(name)} in the scenario")
    own = scenario.matrix(name)[row, column].item()
    if own != value:
        raise ValueError(f"{name}[{row}, {column}] is {value} in the trace and {own} in the scenario")
    if any(edit[:3] == (name, row, column) for edit in scenario.edits):
        before = written(scenario.unedited(name)[row, column].item(), digits)
        return say("explanation.given.edited", before=before, origin=before_edits(scenario, name, row))
    return say("explanation.given.origin", origin=before_edits(scenario, name, row))


def _origin_in_layer(scenario: Scenario, given: Factor) -> str:
    """Return the origin of a number that the previous layer passed on."""
    stage, row, column, value = given
    numbers = in_rows(traced(scenario)[stage.name])
    if row >= numbers.shape[0] or column >= numbers.shape[1]:
        raise ValueError(f"{stage.name}[{row}, {column}] is in the trace, but not in the scenario")
    own = numbers[row, column].item()
    if own != value and not (math.isnan(own) and math.isnan(value)):
        raise ValueError(f"{stage.name}[{row}, {column}] is {value} in the trace and {own} in the scenario")
    return say("explanation.given.origin", origin=say("origins.layer_before", layer=stage.layer))


def _origin_of_kept(scenario: Scenario, given: Factor) -> str:
    """Return the origin of a number computed from the kept sentence alone."""
    stage, row, column, value = given
    handed = scenario.given_to_stages[0].get(stage.name)
    if handed is None or row >= handed.shape[0] or column >= handed.shape[1]:
        raise ValueError(f"{stage.name}[{row}, {column}] is in the trace, but not in the scenario")
    own = handed[row, column].item()
    if own != value and not (math.isnan(own) and math.isnan(value)):
        raise ValueError(f"{stage.name}[{row}, {column}] is {value} in the trace and {own} in the scenario")
    token = visible(scenario.second_tokens[row])
    origin = say("origins.kept_alone", token=token, layer=stage.layer)
    return say("explanation.given.origin", origin=origin)


@typed
def before_edits(scenario: Scenario, name: str, row: int) -> str:
    """Return where a given row's numbers are from, apart from edits.

    >>> before_edits(Scenario(seed=5), "w_q", 0)
    'drawn at random by torch.rand from seed 5'
    """
    replaced = scenario.replacement(name)
    if isinstance(replaced, tuple):
        return say("origins.number")
    if replaced in ("identity", "zeros"):
        return say("origins.identity" if replaced == "identity" else "origins.zeros")
    given = GIVEN[placed(name)[1]]
    beside_example = name == scenario.token_matrix and row in scenario.rows_beside_example
    if not beside_example and (example := example_of(replaced)):
        how = (
            "chosen" if name in chosen_matrices(example) else "made" if example in examples_made_by_hand() else "stated"
        )
        return say(f"origins.{how}", example=called(example))
    if replaced is not None and not beside_example:
        return say("origins.own_seed", seed=replaced.removeprefix(RANDOM_FILL))
    if given.origin is not None:
        return given.origin(scenario, row)
    if given.is_vector and not (INITIALIZATIONS[scenario.init].as_layer and scenario.is_as_drawn(name)):
        return say("origins.bias")
    return say("origins.drawn", function=INITIALIZATIONS[scenario.init].written, seed=scenario.seed)
