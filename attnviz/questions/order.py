"""Questions about what is learned, and about the order of words."""

from dataclasses import replace

import torch

from attnviz.given import Edit
from attnviz.questions.asking import Change, Now, Preset, Question, Seen, Table
from attnviz.scenario import Scenario, traced
from attnviz.stages import STAGES
from attnviz.variations import (
    PROJECTIONS,
    has_positions,
    in_order,
    next_token_loss,
    training_step,
    with_positions,
    without_positions,
)

RATE = 0.5
_OTHER = "the dog sat on the mat"
_TRAINED = Scenario("the cat sat on the mat", d_in=3, d_out=2, d_v=3, init="linear", seed=1, causal=True)


def _learned(now: Now) -> Seen:
    there = [stage for name, stage in STAGES.items() if getattr(now.trace, name) is not None]
    learned, computed = (
        ", ".join(stage.symbol for stage in there if stage.origin == origin) for origin in ("learned", "computed")
    )
    says = [
        f"Learned, kept from sentence to sentence: {learned}. Computed anew for each: {computed}.",
        _loss(now),
        *(now.says_change_of(name, STAGES[name].symbol) for name in PROJECTIONS),
        now.says_change_of("attention_weights", "Attention weights"),
    ]
    return Seen(tuple(says))


def _loss(now: Now) -> str:
    try:
        after = traced(training_step(now.scenario, RATE))
    except ValueError as error:
        return f"This example cannot be trained: {error}."
    if not torch.isfinite(now.trace.context).all():
        return "This example cannot be trained: some contexts are no numbers."
    loss, start, next_loss = (f"{next_token_loss(trace):.4f}" for trace in (now.trace, now.start, after))
    since = f"; at the start it was {start}" if now.trace.tokens == now.start.tokens else ""
    return (
        f"The loss, how far each context misses the next token's vector, is {loss}{since}. "
        f"One more step makes it {next_loss}."
    )


def _steps(n: int) -> Preset:
    def change(scenario: Scenario) -> Scenario:
        for _ in range(n):
            scenario = training_step(scenario, RATE)
        return scenario

    return Preset("One training step" if n == 1 else f"{n} training steps", change)


_LEARNED = Question(
    "Where do W_q, W_k and W_v come from, if no data says which word should attend to which?",
    (
        "They are ordinary parameters: random at first, then moved by backpropagation from the loss of the whole task. "
        "Attention needs no labels of its own.",
        "The attention weights are not the learned weights. Q, K, V, S, A and C are computed afresh from each input "
        "and not stored: the same W's with another sentence give another heatmap.",
    ),
    "Press 'One training step': each W moves a little, the attention weights follow, the loss falls. The task is to "
    "make each context equal to the next token's vector, with later tokens masked. Then change a word, or all of "
    "them: the W's stay, the heatmap is another.",
    _TRAINED,
    _learned,
    shows=("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "attention_weights", "context"),
    presets=(
        _steps(1),
        _steps(20),
        Preset("'cat' becomes 'dog'", lambda s: replace(s, text=_OTHER, edits=_of_projections(s))),
        Preset("Another sentence", lambda s: replace(s, text="a dog lay down", edits=_of_projections(s))),
        Preset("The first sentence", lambda s: replace(s, text=_TRAINED.text, edits=_of_projections(s))),
    ),
    framed=True,
    step=3,
)


def _of_projections(scenario: Scenario) -> tuple[Edit, ...]:
    return tuple(edit for edit in scenario.edits if edit.matrix != "x")


_BITES = Scenario("dog bites man", d_in=4, d_out=2, init="normal", seed=9)
_ORDERS = ("man bites dog", "dog bites dog")


def _below_positions(change: Change) -> Change:
    """Positions stay where they are, whatever becomes of the tokens and of all else that X holds."""

    def changed(scenario: Scenario) -> Scenario:
        if has_positions(scenario):
            return with_positions(change(without_positions(scenario)))
        return change(scenario)

    return changed


def _reordered(text: str) -> Preset:
    """Make this the text; what was edited of a token's row is edited wherever the token stands."""

    def change(scenario: Scenario) -> Scenario:
        tokens = scenario.tokens
        edits = [edit for edit in scenario.edits if edit.matrix != "x"]
        for row, token in enumerate(text.split()):
            old_row = tokens.index(token) if token in tokens else -1
            edits += [e._replace(row=row) for e in scenario.edits if e.matrix == "x" and e.row == old_row]
        return replace(scenario, text=text, edits=tuple(edits))

    return Preset(text, _below_positions(change))


def _in_order(scenario: Scenario, tokens: tuple[str, ...]) -> Scenario:
    return _below_positions(lambda below: in_order(below, tokens))(scenario)


def _order(now: Now) -> Seen:
    before = dict(zip(now.start.tokens, now.start.context, strict=True))
    says = [f"Positions are {'added to X' if has_positions(now.scenario) else 'not in X'}."]
    for i, (token, context) in enumerate(zip(now.trace.tokens, now.trace.context, strict=True)):
        numbers = ", ".join(now.write(value) for value in context)
        same = "as at the start" if torch.allclose(context, before[token], atol=1e-6) else "another than at the start"
        says.append(f"Context of '{token}', row {i}: ({numbers}), {same}.")
    names = now.trace.tokens
    return Seen(tuple(says), (Table("Attention weights now", now.trace.attention_weights, "share", names, names),
                              Table("At the start", now.start.attention_weights, "share", now.start.tokens,
                                    now.start.tokens)))  # fmt: skip


_ORDER = Question(
    "The rows of X are in order already. Why is word order lost, if swapping two words does change a prediction?",
    (
        "Attention commutes with reordering: f(P X) = P f(X). Each token keeps its context vector, which just sits in "
        "another row: 'dog' gets the same one in 'dog bites man' and in 'man bites dog'. A prediction read off the "
        "last row changes because another token sits there.",
        "With a causal mask order does leak in, from the second layer on for the last row. Position vectors, added to "
        "X, put the order into the numbers themselves.",
    ),
    "Drag a word to another place: rows and columns of the attention weights are permuted, contexts travel with their "
    "tokens. Use 'dog' twice: its two rows are the same. Then add positions, and see the numbers change.",
    _BITES,
    _order,
    shows=("x", "attention_weights", "context"),
    presets=(
        *map(_reordered, _ORDERS),
        Preset("Add positions", lambda s: s if has_positions(s) else with_positions(s)),
        Preset("Remove positions", lambda s: without_positions(s) if has_positions(s) else s),
    ),
    reorder=_in_order,
    step=2,
)

ORDER = (_LEARNED, _ORDER)
