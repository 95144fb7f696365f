"""Questions about widths: which must agree, which is under the root."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.scenario import Scenario, traced
from attnviz.core.seeding import generator_for
from attnviz.core.stages import STAGES
from attnviz.explanation import shapes_of
from attnviz.features.questions.about.cat import CAT, eye, rows
from attnviz.features.questions.asking import Question
from attnviz.features.questions.offered import Control, Option, Preset
from attnviz.features.questions.predicted import READS, Prediction
from attnviz.features.questions.seeing import Now, QuestionView
from attnviz.features.questions.variations import Measured, measured_scores, unit_example
from attnviz.features.sweeps.settings import SweepSettings
from attnviz.figures.small_tables import Table
from attnviz.words import plural, say, thousands

_BY_HAND = replace(CAT, text="fluffy cat chased a mouse")  # a vector was made by hand for each of its words


def _as_wide(d_in: int, d_out: int, d_v: int) -> Scenario:
    """Return the example with these widths, repeating its numbers as needed."""
    widths = {"x": (len(_BY_HAND.tokens), d_in), "w_q": (d_in, d_out), "w_k": (d_in, d_out), "w_v": (d_in, d_v)}
    given = {}
    for name, (n_rows, n_columns) in widths.items():
        matrix = _BY_HAND.matrix(name)
        rows_at, columns_at = (torch.arange(n) % of for n, of in zip((n_rows, n_columns), matrix.shape, strict=True))
        given[name] = tuple(map(tuple, matrix[rows_at][:, columns_at].tolist()))
    return Scenario(_BY_HAND.text, d_in=d_in, d_out=d_out, d_v=d_v, **given)  # type: ignore[arg-type]


_WIDTHS = _as_wide(3, 2, 4)
SYMBOLIC = {
    "x": ("n", "d_in"), "w_q": ("d_in", "d_k"), "w_k": ("d_in", "d_k"), "w_v": ("d_in", "d_v"), "q": ("n", "d_k"),
    "k": ("n", "d_k"), "v": ("n", "d_v"), "scores": ("n", "n"), "attention_weights": ("n", "n"),
    "context": ("n", "d_v"),
}  # fmt: skip
_WIDER = "wider"


def _symbolic_shapes(trace: AttentionTrace) -> dict[str, str]:
    shapes = shapes_of(trace)
    return {
        name: f"{rows} × {columns} = {shapes[name][0]} × {shapes[name][1]}"
        for name, (rows, columns) in SYMBOLIC.items()
    }


def _shapes(now: Now) -> QuestionView:
    t = now.trace
    n, (d_in, d_k), d_v = len(t.x), t.w_q.shape, t.w_v.shape[1]
    broken = now.options["w_k"] == _WIDER
    gone = ("w_k", "k", *_NEEDS_SCORES) if broken else ()
    shapes = {name: shape for name, shape in _symbolic_shapes(t).items() if name not in gone}
    says = [say("seen.sizes.shapes", shapes="; ".join(f"{STAGES[name].symbol}: {it}" for name, it in shapes.items()))]
    sizes = {"n": n, "d_in": d_in, "d_k": d_k, "d_v": d_v}
    says += [
        say("seen.sizes.equal", one=one, other=other, size=sizes[one])
        for one, other in combinations(sizes, 2)
        if sizes[one] == sizes[other]
    ]
    if not broken:
        return QuestionView((*says, *now.says_changes("scores", "context")))
    w_k = torch.cat([t.w_k, torch.ones_like(t.w_k[:, :1])], dim=-1)
    refused = [
        say(
            "seen.sizes.wider",
            w_k=f"{d_in} × {d_k + 1}",
            k=f"{n} × {d_k + 1}",
            query=plural(d_k, "number"),
            key=plural(d_k + 1, "number"),
        ),
        say("seen.sizes.refused", q=f"{n} × {d_k}", kt=f"{d_k + 1} × {n}"),
    ]
    title = {name: say("seen.sizes.table", matrix=STAGES[name].title) for name in ("w_k", "k")}
    # The refusal comes first: below the shapes, it would be off a laptop's first screen.
    keys = Table(title["k"], t.x @ w_k, rows=now.names, role="k")
    return QuestionView((*refused, *says), (Table(title["w_k"], w_k, role="k"), keys))


def _width(name: str, key: str, change: Callable[[Scenario, int], Scenario], most: int = 8) -> Control:
    return Control(name, key, 1, most, 1, lambda s: getattr(s, name), lambda s, value: change(s, int(value)))


def _with_width(scenario: Scenario, name: str, width: int) -> Scenario:
    """Return the example with another width, keeping edits of untouched matrices."""
    now = _as_wide(**{each: getattr(scenario, each) for each in ("d_in", "d_out", "d_v")} | {name: width})
    alike = (edit for edit in scenario.edits if now.shape_of(edit.matrix) == scenario.shape_of(edit.matrix))
    return replace(now, edits=tuple(alike))


_NEEDS_SCORES = ("scores", "attention_weights", "context")
_ONE_VALUE = Preset("questions.sizes.one_value", lambda s: _with_width(s, "d_v", 1))
SIZES = Question(
    "sizes",
    _WIDTHS,
    _shapes,
    subject="shapes",
    predicts=Prediction(
        lambda now: now.trace.scores.numel(),
        lambda s: _with_width(s, "d_v", 6),
        dict.fromkeys(("more", "less"), _ONE_VALUE),
        kind="count",
    ),
    then={"w_k": _WIDER},
    card=("x", "w_q", "w_k", "w_v"),
    shows=("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "attention_weights", "context"),
    notes=SYMBOLIC,  # the board itself shows the numbers
    controls=(
        _width("d_in", "questions.sizes.control.d_in", lambda s, width: _with_width(s, "d_in", width)),
        _width("d_out", "questions.sizes.control.d_k", lambda s, width: _with_width(s, "d_out", width)),
        _width("d_v", "questions.sizes.control.d_v", lambda s, width: _with_width(s, "d_v", width)),
    ),
    options=(Option("w_k", "questions.sizes.choice", ("fitting", _WIDER), "fitting"),),
    hidden={_WIDER: ("w_k", "k", *_NEEDS_SCORES)},
    varies=frozenset({"text", "d_in", "d_out", "d_v"}),
    fits=lambda s: s.text == _WIDTHS.text,
    step=3,
)

_BY_D_K, _BY_D_IN = "d_k", "d_in"
_TRIALS = 4000


def _drawn(d_in: int, d_k: int) -> Scenario:
    """Return an example whose queries and keys have entries of variance 1.

    Its vectors have the length √d_in, and the entries of its W's have variance 1/d_in.
    """
    x, w_q, w_k = unit_example(4, d_in, d_k, generator_for(12))
    given = {name: tuple(map(tuple, values.tolist())) for name, values in (("x", x), ("w_q", w_q), ("w_k", w_k))}
    return Scenario("the cat sat down", d_in=d_in, d_out=d_k, w_v=eye(d_in, d_k), **given)  # type: ignore[arg-type]


# The features of words: noun, adjective, verb, animal, soft, moves, eats, small. W_q says how much each feature looks
# for nouns and for adjectives, W_k how much each feature counts as one of them.
_ASKS = rows((-0.3, 1), (1.6, 0), (1, 0), (0, 0.3), (0.4, 0.3), (0, -0.3), (0.2, 0), (0, 0.3))
_FOUND = rows((1.4, 0), (0, 1.4), (-0.5, -0.5), (0.4, 0), (0.5, 0.3), (-0.2, 0.1), (0.2, 0), (-0.6, 0.3))
_EIGHT = Scenario(
    CAT.text, d_in=8, d_out=2, w_q=_ASKS, w_k=_FOUND, w_v=eye(8, 2),
    x=rows((0, 1, 0, 0, 1, 0, 0, 0), (1, 0, 0, 1, 0.5, 0.5, 1, 0), (0, 0, 1, 0, 0, 1, 0, 0),
           (1, 0, 0, 1, 0, 0.5, 1, 1)),
)  # fmt: skip


def _divided(scenario: Scenario, chosen: Mapping[str, str]) -> Scenario:
    """Return the example with scores divided by √d_k or √d_in."""
    by_d_in = chosen["divisor"] == _BY_D_IN
    return replace(scenario, scale=False, temperature=math.sqrt(scenario.d_in)) if by_d_in else scenario


def _which_d(now: Now) -> QuestionView:
    d_in, d_k = now.scenario.d_in, now.scenario.d_out
    names = now.names
    own = {
        divisor: now.write(traced(_divided(now.scenario, {"divisor": divisor})).attention_weights.amax(-1).mean())
        for divisor in (_BY_D_K, _BY_D_IN)
    }
    measured = measured_scores(d_in, d_k, len(names), trials=_TRIALS)
    says = [
        say("seen.which_d.sum", n=d_k, numbers=plural(d_in, "number"), d_in=d_in),
        say("seen.which_d.size", trials=thousands(_TRIALS), size=f"{measured.score_size:.2f}",
            d_k=d_k, root=f"{math.sqrt(d_k):.2f}"),
        say("seen.which_d.largest", divisor=f"√d_k = √{d_k}", share=now.write(measured.largest_by_d_k),
            own=own[_BY_D_K], even=now.write(1 / len(names))),
        say("seen.which_d.largest_by_d_in", divisor=f"√d_in = √{d_in}", share=now.write(measured.largest_by_d_in),
            own=own[_BY_D_IN], verdict=_verdict(now, measured)),
    ]  # fmt: skip
    return QuestionView(tuple(says))


def _verdict(now: Now, measured: Measured) -> str:
    """Say whether √d_in flattens or sharpens attention weights, over many examples."""
    right, wrong = measured.largest_by_d_k, measured.largest_by_d_in
    if now.write(right) == now.write(wrong):
        return say("seen.which_d.same")
    return say("seen.which_d.flatter" if wrong < right else "seen.which_d.sharper")


_LONGER = Preset("questions.which_d.then", lambda s: _drawn(16, s.d_out))
WHICH_D = Question(
    "which_d",
    _EIGHT,
    _which_d,
    subject="scaling",
    follows=0,
    predicts=Prediction(READS, {"divisor": _BY_D_IN}, dict.fromkeys(("more", "same"), _LONGER)),
    then=_LONGER,
    makes=_divided,
    card=("q", "k", "attention_weights"),
    shows=("q", "k", "scores", "scaled_scores", "attention_weights"),
    controls=(
        _width("d_in", "questions.which_d.control.d_in", lambda s, width: _drawn(width, s.d_out), most=16),
        _width("d_out", "questions.which_d.control.d_k", lambda s, width: _drawn(s.d_in, width)),
    ),
    options=(Option("divisor", "questions.which_d.choice", (_BY_D_K, _BY_D_IN), _BY_D_K),),
    varies=frozenset({"d_in", "d_out"}),
    fits=lambda s: s.d_in <= 16 and s.d_out <= 8 and s in (_EIGHT, _drawn(s.d_in, s.d_out)),
    drawn=("x", "w_q", "w_k"),
    sweep=SweepSettings(dims=(2, 8, 64, 512)),
    step=6,
)
