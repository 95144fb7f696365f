"""What was changed of a set-up in words: its settings, the matrices that are given as a whole, and single numbers."""

from attnviz.core.layers import placed
from attnviz.core.matrix_input import EXAMPLE_FILL, RANDOM_FILL, Edit
from attnviz.core.scenario import Scenario
from attnviz.core.seeding.vectors import called
from attnviz.core.stages import ALL_STAGES
from attnviz.core.tokens import visible
from attnviz.core.what_if import WhatIf
from attnviz.words import say
from attnviz.words.numbers import significant, written


def setting_in_words(name: str, value: object) -> str:
    """Write what a setting is set to; a sentence in quotes, with nothing invisible in it.

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
    """Say by what a whole matrix is given.

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
    """Write the symbol of an editable matrix; of a later layer, with the layer's number.

    >>> symbol_in_words("layers.1.w_q")
    'layer 1, W_q'
    """
    layer, own = placed(name)
    symbol = ALL_STAGES[own].symbol
    return say("stages.layer.symbol", symbol=symbol, layer=layer) if layer else symbol


def replaced_in_words(scenario: Scenario) -> dict[str, str]:
    """Say of each matrix that is given as a whole by what it is.

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
