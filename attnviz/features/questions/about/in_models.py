"""Questions about caches, shared keys, rotary values, and packed matrices."""

from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace, execute
from attnviz.core.rules import Rotate
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import STAGES
from attnviz.explanation.summary import attends_most
from attnviz.features.questions.about.cat import CAT, rows
from attnviz.features.questions.about.masks_and_heads import ACTORS
from attnviz.features.questions.asking import Question
from attnviz.features.questions.offered import QUERY, Option
from attnviz.features.questions.predicted import READS, Prediction
from attnviz.features.questions.seeing import Now, QuestionView
from attnviz.figures.small_tables import Table
from attnviz.words import plural, say

SAME = 1e-5  # largest difference between two ways to compute the same numbers

# A frequent question on https://discuss.huggingface.co: why are there past_key_values, but no past queries?
_BEGUN = replace(CAT, text="fluffy cat chased", causal=True)


def _gone_on(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    text = CAT.text if chosen["words"] == "four" else scenario.text
    return replace(scenario, text=text, causal=chosen["mask"] == "causal")


def _cached(now: Now) -> QuestionView:
    made, n_before = now.drawn, len(now.names)
    says = [say("seen.cached.last", token=made.tokens[-1], tokens=plural(len(made.tokens), "token"))]
    if len(made.tokens) > n_before:
        before = traced(replace(now.scenario, causal=now.options["mask"] == "causal"))
        gap = now.gap(made.context[:n_before], before.context)
        says.append(say("seen.cached.same") if gap <= SAME else say("seen.cached.other", gap=now.write(gap)))
    return QuestionView(tuple(says))


CACHED = Question(
    "cached",
    _BEGUN,
    _cached,
    subject="meaning",
    follows=2,
    predicts=Prediction(READS, {"words": "four"}, {"more": {"mask": "none"}, "less": {QUERY: "1"}}),
    then={"mask": "none"},
    makes=_gone_on,
    fixed=True,
    card=("q", "k", "v"),
    shows=("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"),
    options=(
        Option("words", "questions.cached.words", ("three", "four"), "three"),
        Option("mask", "questions.cached.mask", ("causal", "none"), "causal"),
    ),
    step=6,
)


# Shazeer 2019, Fast Transformer Decoding, section 3; Ainslie et al. 2023, GQA, section 2.2. The second head's keys are
# half as long as the first head's, so that sharing keys makes a difference.
_UNSHARED = replace(
    ACTORS, n_heads=2, w_k=rows((1, 0, 0.5, 0), (0, 1, 0, 0.5), (-1, 0, -0.5, 0), (0, -1, 0, -0.5))
)  # fmt: skip
_ALIKE = 1e-6  # rows of two heads that differ by less count as the same


def _with_key_heads(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    """Return the example with as many key heads as chosen."""
    if chosen["kv"] == "two":
        return scenario
    of_first = rows(*scenario.matrix("w_k")[:, : scenario.d_out // scenario.n_heads].tolist())
    return replace(scenario, n_kv_heads=1, w_k=of_first)


def _different_rows(now: Now) -> int:
    """Return how many different rows the heads have for the followed token."""
    kept: list[Tensor] = []
    for head in now.drawn.heads:
        row = head.attention_weights[now.query]
        if all(float((row - other).abs().max()) > _ALIKE for other in kept):
            kept.append(row)
    return len(kept)


def _shared_keys(now: Now) -> QuestionView:
    made = now.drawn
    kept = made["k"].shape[1] + made["v"].shape[1]
    says = [say("seen.shared_keys.kept", numbers=plural(kept, "number"))]
    says += [
        say("seen.shared_keys.reads", head=head, reads=attends_most(each, now.query, now.digits))
        for head, each in enumerate(made.heads)
    ]
    return QuestionView(tuple(says))


SHARED_KEYS = Question(
    "shared_keys",
    _UNSHARED,
    _shared_keys,
    subject="shapes",
    predicts=Prediction(
        _different_rows, {"kv": "one"}, {"less": {QUERY: "0"}, "more": {QUERY: "3"}}, kind="count"
    ),
    makes=_with_key_heads,
    fixed=True,
    card=("q", "k"),
    shows=("q", "k", "scaled_scores", "attention_weights"),
    in_hall=("attention_weights",),
    options=(Option("kv", "questions.shared_keys.kv", ("two", "one"), "two"),),
    step=3,
)  # fmt: skip


# https://github.com/lucidrains/rotary-embedding-torch and others rotate only queries and keys: Su et al. 2021,
# RoFormer, section 3.2.2.
_TURNED = replace(CAT, positions="rotary")
LATER = {"none": 0, "three": 3}  # by how many positions the sentence moves


def _moved(trace: AttentionTrace, places: int) -> AttentionTrace:
    """Return a trace of the sentence moved by this many positions."""
    stages = {
        name: replace(stage, rule=Rotate(place=places)) if name.endswith("_rotated") else stage
        for name, stage in trace.stages.items()
    }
    given = {name: trace[name] for name, stage in stages.items() if stage.rule is None}
    return execute(stages, given, trace.tokens)


def _of_places(now: Now, places: int) -> tuple[Tensor, Tensor]:
    """Return attention weights and contexts, with values rotated if chosen."""
    moved = _moved(now.trace, places)
    if now.options["values"] == "plain":
        return moved.attention_weights, moved.context
    return moved.attention_weights, moved.attention_weights @ Rotate(place=places).compute(moved.v)


def _turned_values(now: Now) -> QuestionView:
    places = LATER[now.options["moved"]]
    weights, context = _of_places(now, places)
    says = [say(f"seen.turned_values.{now.options['values']}")]
    if places:
        here = _of_places(now, 0)
        says.append(say("seen.turned_values.weights", gap=now.write(now.gap(weights, here[0]))))
        gap = now.gap(context, here[1])
        key = "same" if gap <= SAME else "other"
        says.append(say(f"seen.turned_values.{key}", gap=now.write(gap)))
    titles = STAGES["attention_weights"].title, STAGES["context"].title
    return QuestionView(tuple(says), (
        Table(titles[0], weights, "share", now.marked_names, now.names, limit=1.0),
        Table(titles[1], context, rows=now.marked_names, role="v"),
    ))  # fmt: skip


TURNED_VALUES = Question(
    "turned_values",
    _TURNED,
    _turned_values,
    subject="order",
    follows=0,
    predicts=Prediction(
        lambda now: _turned_values(now).tables[1].matrix[now.query, 0],
        {"moved": "three"},
        {"more": {QUERY: "1"}, "less": {QUERY: "2"}},
        kind="number",
    ),
    then={"values": "turned"},
    fixed=True,
    options=(
        Option("moved", "questions.turned_values.moved", tuple(LATER), "none"),
        Option("values", "questions.turned_values.values", ("plain", "turned"), "plain"),
    ),
    step=3,
)


# GPT-2's c_attn: https://github.com/karpathy/nanoGPT/blob/master/model.py, https://github.com/openai/gpt-2/issues
PACKED = ("w_q", "w_k", "w_v")


def packed_product(trace: AttentionTrace) -> tuple[Tensor, Tensor]:
    """Return W_q, W_k and W_v side by side, and X times that."""
    packed = torch.cat([trace[name] for name in PACKED], -1)
    return packed, trace.x @ packed


def cut_query(trace: AttentionTrace, way: str) -> Tensor:
    """Return Q as this way cuts it out of the packed product."""
    made = packed_product(trace)[1]
    if way == "separate":
        return trace.q
    return made[:, ::3] if way == "interleaved" else made[:, : made.shape[1] // 3]


def _packed(now: Now) -> QuestionView:
    trace, way = now.trace, now.options["way"]
    packed, made = packed_product(trace)
    if way == "separate":
        tables = tuple(
            Table(STAGES[name].symbol, trace[name], role=role)  # type: ignore[arg-type]
            for name, role in zip(PACKED, "qkv", strict=True)
        )
        return QuestionView((say("seen.packed.separate", numbers=plural(packed.numel(), "number")),), tables)
    shapes = {"packed": f"{packed.shape[0]} × {packed.shape[1]}", "made": f"{made.shape[0]} × {made.shape[1]}"}
    gap = now.gap(cut_query(trace, way), trace.q)
    says = (
        say("seen.packed.shapes", **shapes),
        say("seen.packed.same" if gap <= SAME else "seen.packed.other", gap=now.write(gap)),
    )
    each = range(made.shape[1] // 3)
    # The names that this way of cutting gives to columns.
    names = (
        tuple(f"{letter} {i}" for i in each for letter in "QKV")
        if way == "interleaved"
        else tuple(f"{letter} {i}" for letter in "QKV" for i in each)
    )
    w_names = tuple(f"W_{letter} {i}" for letter in "qkv" for i in each)
    return QuestionView(says, (
        Table(say("seen.packed.w"), packed, columns=w_names, role="x"),
        Table(say("seen.packed.made"), made, rows=now.marked_names, columns=names, role="x"),
    ))  # fmt: skip


PACKED_W = Question(
    "packed",
    CAT,
    _packed,
    subject="shapes",
    follows=0,
    predicts=Prediction(
        lambda now: cut_query(now.trace, now.options["way"])[now.query, 1],
        {"way": "packed"},
        {"more": {QUERY: "1"}, "less": {"way": "interleaved"}},
        kind="number",
    ),
    then={"way": "interleaved"},
    fixed=True,
    card=("w_q", "w_k", "w_v"),
    options=(Option("way", "questions.packed.way", ("separate", "packed", "interleaved"), "separate"),),
    step=3,
)

IN_MODELS = (CACHED, SHARED_KEYS, TURNED_VALUES, PACKED_W)
