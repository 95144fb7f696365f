"""Questions about second sentences, the factor √d_model, and next words."""

from collections.abc import Mapping
from dataclasses import replace

from attnviz.core.scenario import Scenario
from attnviz.features.questions.about.cat import CAT, rows
from attnviz.features.questions.asking import Question
from attnviz.features.questions.offered import QUERY, Option
from attnviz.features.questions.predicted import Prediction
from attnviz.features.questions.seeing import Now, QuestionView
from attnviz.words import listed, plural, say

# Vaswani et al. 2017, section 3.2.3: queries come from the decoder, keys and values from the encoder.
READ = {"two": "a mouse", "three": "chased a mouse"}
# The vectors of the second sentence's words: noun, adjective, verb.
_VECTORS = {"chased": (0.1, 0.0, 1.0), "a": (0.1, 0.0, 0.1), "mouse": (0.7, 0.0, 0.1)}


def _reading_second(scenario: Scenario, second: str) -> Scenario:
    return replace(scenario, reads="second", second=second, y=rows(*(_VECTORS[word] for word in second.split())))


_CROSS = _reading_second(replace(CAT, text="fluffy cat"), READ["two"])


def _reading(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    if chosen["read"] == "itself":
        return replace(scenario, reads="itself", second="", y=None)
    return _reading_second(scenario, READ[chosen["read"]])


def _cross(now: Now) -> QuestionView:
    made, own = now.drawn, now.options["read"] == "itself"
    n_rows, n_columns = made.attention_weights.shape
    sizes = {"rows": plural(n_rows, "row"), "columns": plural(n_columns, "column")}
    read = now.scenario.text if own else READ[now.options["read"]]
    return QuestionView((
        say("seen.cross.shape", text=now.scenario.text, read=read, **sizes),
        say("seen.cross.context", contexts=plural(len(made.context), "row")),
    ))  # fmt: skip


CROSS = Question(
    "cross",
    _CROSS,
    _cross,
    subject="shapes",
    predicts=Prediction(
        lambda now: len(now.drawn.attention_weights),
        {"read": "three"},
        {"more": {QUERY: "0"}, "less": {"read": "itself"}},
        kind="count",
    ),
    then={"read": "itself"},
    makes=_reading,
    fixed=True,
    card=("q", "k", "attention_weights"),
    shows=("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context"),
    options=(Option("read", "questions.cross.read", (*READ, "itself"), "two"),),
    step=3,
)


# Vaswani et al. 2017, section 3.4: "In the embedding layers, we multiply those weights by √d_model."
_PLACED = replace(CAT, text="the fluffy cat chased mouse", x=None, e=CAT.x, positions="sinusoidal")


def _ratio(now: Now) -> float:
    """Return the followed token's vector's length over that of its position."""
    made = now.drawn
    word = made["e_scaled" if "e_scaled" in made.stages else "e"]
    return float(word[now.query].norm() / made["p"][now.query].norm())


def _factor(now: Now) -> QuestionView:
    token = now.names[now.query]
    says = [say("seen.factor.ratio", token=token, ratio=now.write(_ratio(now)))]
    if now.options["times"] == "root":
        says.append(say("seen.factor.moved", gap=now.write(now.gap(now.drawn.x, now.trace.x))))
    return QuestionView(tuple(says))


FACTOR = Question(
    "factor",
    _PLACED,
    _factor,
    subject="order",
    predicts=Prediction(
        _ratio, {"times": "root"}, {"same": {QUERY: "2"}, "less": {QUERY: "3"}}, kind="number"
    ),
    makes=lambda s, chosen: replace(s, embedding_factor=chosen["times"] == "root"),
    fixed=True,
    card=("e", "p", "x"),
    shows=("e", "p", "x", "q", "k", "scores", "scaled_scores", "attention_weights"),
    in_hall=("e", "p", "x"),
    options=(Option("times", "questions.factor.times", ("one", "root"), "one"),),
    step=2,
)  # fmt: skip


# Radford et al. 2018 and Karpathy's nanoGPT: the targets are the tokens shifted by one.
_CAUSAL = replace(CAT, causal=True)


def _leaks(now: Now) -> int:
    """Return how many rows read the token that comes after them."""
    return int((now.drawn.attention_weights.diagonal(1) > 0).sum())


def _next_word(now: Now) -> QuestionView:
    weights, names = now.drawn.attention_weights, now.names
    says = [
        say("seen.next_word.row", token=name, next=names[i + 1],
            names=listed([f"“{names[j]}”" for j in weights[i].nonzero().flatten().tolist()]))
        for i, name in enumerate(names[:-1])
    ]  # fmt: skip
    says.append(say("seen.next_word.last", token=names[-1]))
    says.append(say("seen.next_word.leak", n=_leaks(now), count=len(names) - 1))
    return QuestionView(tuple(says))


NEXT_WORD = Question(
    "next_word",
    _CAUSAL,
    _next_word,
    subject="training",
    predicts=Prediction(
        _leaks, {"mask": "none"}, {"same": {QUERY: "2"}, "more": {QUERY: "0"}}, kind="count", end=3
    ),
    makes=lambda s, chosen: replace(s, causal=chosen["mask"] == "causal"),
    fixed=True,
    card=("attention_weights", "context"),
    shows=("scores", "scaled_scores", "attention_weights", "context"),
    options=(Option("mask", "questions.next_word.mask", ("causal", "none"), "causal"),),
    step=6,
)  # fmt: skip

INPUTS = (CROSS, FACTOR, NEXT_WORD)
