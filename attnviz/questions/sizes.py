"""Questions about widths and divisors: which sizes must agree, and what the scores are divided by, and where."""

import math
from dataclasses import replace

import torch

from attnviz.attention import AttentionTrace, attend
from attnviz.explanation import shapes_of
from attnviz.questions.asking import Control, Exponent, Now, Option, Preset, Question, Seen, Table
from attnviz.scaling import sweep_scaling
from attnviz.scenario import Scenario
from attnviz.stages import STAGES
from attnviz.variations import Place, scaled_at

_CAT = "the cat sat"
_WIDTHS = Scenario(_CAT, d_in=4, d_out=2, d_v=3, init="normal", seed=2)
SYMBOLIC = {
    "x": "n × d_in", "w_q": "d_in × d_k", "w_k": "d_in × d_k", "w_v": "d_in × d_v", "q": "n × d_k", "k": "n × d_k",
    "v": "n × d_v", "scores": "n × n", "attention_weights": "n × n", "context": "n × d_v",
}  # fmt: skip
_ONE_WIDTH, _TWO_WIDTHS = "closed", "broken: W_k one wider"


def _symbolic_shapes(trace: AttentionTrace) -> dict[str, str]:
    shapes = shapes_of(trace)
    return {name: f"{symbolic} = {shapes[name][0]} × {shapes[name][1]}" for name, symbolic in SYMBOLIC.items()}


def _shapes(now: Now) -> Seen:
    says = [f"{STAGES[name].symbol}: {shape}" for name, shape in _symbolic_shapes(now.trace).items()]
    sentences = ["; ".join(says) + "."]
    if now.options["w_k"] == _TWO_WIDTHS:
        t = now.trace
        wider = torch.cat([t.w_k, torch.ones_like(t.w_k[:, :1])], dim=-1)
        try:
            attend(t.x, t.w_q, wider, t.w_v)
        except ValueError as error:
            d_k = t.w_q.shape[1]
            sentences.append(
                f"That cannot be computed: {error}. A query of {d_k} numbers cannot be multiplied with a key of "
                f"{d_k + 1}: Q Kᵀ would be ({len(t.x)} × {d_k}) times ({d_k + 1} × {len(t.x)})."
            )
    sentences += [now.says_change_of("scores", "Scores"), now.says_change_of("context", "Context vectors")]
    return Seen(tuple(sentences))


def _width(name: str, label: str, most: int = 8) -> Control:
    return Control(
        name, label, 1, most, 1,
        read=lambda s: getattr(s, name),
        change=lambda s, value: _with_width(s, name, int(value)),
    )  # fmt: skip


def _with_width(scenario: Scenario, name: str, width: int) -> Scenario:
    drawn = Scenario(scenario.text, d_in=scenario.d_in, d_out=scenario.d_out, d_v=scenario.d_v, init=scenario.init,
                     seed=scenario.seed, temperature=scenario.temperature)  # fmt: skip
    return replace(drawn, **{name: width})  # type: ignore[arg-type]


_SIZES = Question(
    "d_model, d_in, d_k, d_v, d_out, head size: which is which, and which must be equal?",
    (
        "X is n × d_in; W_q and W_k are d_in × d_k, W_v is d_in × d_v. One equality is forced: queries and keys share "
        "their width d_k, because they are multiplied. d_v is free, and is the width of what comes out.",
        "d_k is the length of one key, one row of K. In a transformer d_in is d_model; the paper's 512 = 8 heads × 64 "
        "is a convention, not a rule (Qwen3-4B: 2560, and 32 heads × 128). Keras's key_dim is one head's. On the "
        "playground d_out sets d_k, and d_v too where d_v is left blank.",
    ),
    "Move one width at a time and watch which matrices change shape. d_v moves V and the contexts, and no score. Then "
    "try to break the chain that joins the widths of W_q and W_k.",
    _WIDTHS,
    _shapes,
    shows=("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "context"),
    notes=_symbolic_shapes,
    controls=(_width("d_in", "d_in"), _width("d_out", "d_k, of W_q and W_k in one"), _width("d_v", "d_v, of W_v")),
    options=(Option("w_k", "The chain between W_q and W_k is", (_ONE_WIDTH, _TWO_WIDTHS), _ONE_WIDTH),),
    step=3,
)

_DIMS = (2, 8, 64, 512)
_FLAT = 0.06  # a change of the mean largest weight that the draws of 300 trials can make


def _divisors(now: Now) -> Seen:
    p = now.options["p"]
    swept = sweep_scaling(_DIMS, trials=300, seed=0, n_keys=6, scales=("none", "sqrt", "linear", float(p)))
    measured = torch.tensor(swept[["largest_attention_weight", "std"]].to_numpy().copy()).reshape(len(_DIMS), 4, 2)
    names = ("raw", "divided by √d_k", "divided by d_k", f"divided by d_k^{p}")
    columns = tuple(f"d_k = {dim}" for dim in _DIMS)
    largest, spread = measured.transpose(0, 1).unbind(-1)  # (divisors, dimensions) each
    first, last = largest[3, 0], largest[3, -1]
    if last - first > _FLAT:
        verdict = f"p = {p} divides too little: the wider the keys, the nearer softmax comes to one token alone."
    elif first - last > _FLAT:
        verdict = f"p = {p} divides too much: the wider the keys, the more equal the shares."
    else:
        verdict = f"p = {p}: flat, whatever d_k is."
    says = [
        verdict,
        "Largest of 6 attention weights, mean over 300 random queries (an equal share is 1/6 = 0.167):",
        *(
            f"{name}: {', '.join(f'{weight:.2f} at {column}' for weight, column in zip(row, columns, strict=True))}"
            for name, row in zip(names, largest, strict=True)
        ),
    ]
    return Seen(
        tuple(says),
        (
            Table("Largest attention weight", largest, "share", names, columns),
            Table("Spread of the divided scores", spread, rows=names, columns=columns, limit=4.0),
        ),
    )


_ROOT = Question(
    "Why divide by √d_k, and not by d_k, log d_k, the vectors' lengths, or nothing?",
    (
        "If the numbers in q and k are independent with mean 0 and variance 1, q · k has variance d_k, so its spread "
        "is √d_k. Dividing by exactly that keeps the spread at 1 whatever d_k is. Less, and softmax gives nearly all "
        "to one token; more, and it gives every token the same.",
        "log d_k grows too slowly, so it divides too little. Divided by both lengths, scores are cosines, at most 1: "
        "no query could give one token nearly all. All this is an argument about random, untrained vectors.",
    ),
    "Slide the exponent p in d_k^p: a row that keeps one colour whatever d_k is, is flat. What goes wrong on either "
    "side of it? The scaling page has the same slider, over curves with many more dimensions.",
    _WIDTHS,
    _divisors,
    options=(Exponent("p", "p of / d_k^p", "0"),),
    sweep="dims.2-8-64-512*keys.6*scales.none-sqrt-linear-own_p",
    step=6,
)

_WIDE_INPUT = Scenario(_CAT, d_in=8, d_out=2, init="normal", seed=12)


def _which_d(now: Now) -> Seen:
    d_in, d_k = now.scenario.d_in, now.trace.q.shape[1]
    right = math.isclose(now.trace.divisor, math.sqrt(d_k), rel_tol=1e-4)
    largest = now.trace.attention_weights.max(-1).values.mean()
    says = [
        f"Each score is a sum of d_k = {d_k} products, made from inputs of d_in = {d_in} numbers.",
        f"The divisor is {now.write(now.trace.divisor)}: "
        + (f"√d_k = √{d_k}, whatever d_in is." if right else f"√d_in = √{d_in}, which is not the scores' own."),
        f"The largest attention weight of a row is {now.write(largest)} on average (an equal share is "
        f"{now.write(1 / len(now.trace.x))}).",
    ]
    one_head = torch.tensor([16.0, 8.0, 0.0, -8.0])
    for divisor, words in ((64, "√64, of one head"), (512, "√512, of the model")):
        shares = ", ".join(f"{share:.3f}" for share in torch.softmax(one_head / math.sqrt(divisor), 0))
        says.append(f"Scores 16, 8, 0, −8 of a head of 64 in a model of 512, divided by {words}: {shares}")
    return Seen(tuple(says))


def _wrong_root(scenario: Scenario) -> Scenario:
    return replace(scenario, temperature=max(0.01, min(100.0, math.sqrt(scenario.d_in / scenario.d_out))))


def _move_d_in(scenario: Scenario, value: float) -> Scenario:
    """Move d_in, and with it a divisor that is √d_in."""
    moved = _with_width(scenario, "d_in", int(value))
    return moved if scenario.temperature == 1 else _wrong_root(moved)


_WHICH_D = Question(
    "Which d goes under the root: the embedding's size, or the size of one head?",
    (
        "The length of the two vectors that are multiplied: d_k of one head. A score has d_k products, so d_k decides "
        "how large scores grow.",
        "With d_model = 512 and 8 heads it is √64 = 8, not √512 = 22.6. The mistake raises no error, the scores are "
        "just √8 = 2.83 times too small and the weights too even.",
    ),
    "Point at a scaled score: its explanation lists the score and divides by the root of d_k. Change d_in alone: the "
    "divisor stays. Then divide by √d_in instead, and watch the weights flatten.",
    _WIDE_INPUT,
    _which_d,
    shows=("q", "k", "scores", "scaled_scores", "attention_weights"),
    controls=(
        Control("d_in", "d_in", 1, 16, 1, lambda s: s.d_in, _move_d_in),
        Control("d_out", "d_k", 1, 8, 1, lambda s: s.d_out,
                lambda s, value: _with_width(replace(s, temperature=1.0), "d_out", int(value))),
    ),
    presets=(
        Preset("Divide by √d_in instead", _wrong_root),
        Preset("Divide by √d_k", lambda s: replace(s, temperature=1.0)),
    ),
    lit=("scaled_scores", 1, 2),
    sweep="dims.2-8-64-512",
    step=6,
)  # fmt: skip

_ON_QUERIES, _ON_BOTH, _ON_SCORES = "on the queries", "half on queries and keys each", "on the scores"
_PLACES: dict[str, Place] = {_ON_QUERIES: "queries", _ON_BOTH: "both", _ON_SCORES: "scores"}  # as in the formula
_DIVIDED = {_ON_QUERIES: ("Q / √d_k", "K"), _ON_BOTH: ("Q / √√d_k", "K / √√d_k"), _ON_SCORES: ("Q", "K")}


def _where(now: Now) -> Seen:
    chosen = now.options["place"]
    usual, other = scaled_at(now.trace, "scores"), scaled_at(now.trace, _PLACES[chosen])
    says = [f"The block stands {chosen}."]
    for name in ("q", "k", "scaled_scores", "attention_weights"):
        gap = float((getattr(usual, name) - getattr(other, name)).abs().max())
        same = "the same as with the scores divided"
        says.append(f"{STAGES[name].title}: {same if gap < 1e-5 else f'other numbers, by up to {now.write(gap)}'}.")
    says.append(
        f"The largest number that Q Kᵀ has to hold on the way is {now.write(other.scores.abs().max())}; "
        f"divided are {_n_divided(now, chosen)} numbers."
    )
    names, limit = now.trace.tokens, float(torch.cat([usual.q, usual.k]).abs().max())
    vectors = zip(_DIVIDED[chosen], (other.q, other.k), strict=True)
    return Seen(
        tuple(says),
        (
            *(Table(title, matrix, rows=names, limit=limit) for title, matrix in vectors),
            Table(STAGES["scaled_scores"].title, other.scaled_scores, rows=names, columns=names),
            Table(STAGES["attention_weights"].title, other.attention_weights, "share", names, names),
        ),
    )


def _n_divided(now: Now, place: str) -> int:
    """Return how many numbers are divided on the way."""
    t = now.trace
    return {_ON_QUERIES: t.q.numel(), _ON_BOTH: t.q.numel() + t.k.numel(), _ON_SCORES: t.scores.numel()}[place]


_WHERE = Question(
    "The paper divides Q Kᵀ. This code divides only Q, or both Q and K. Is that a bug?",
    (
        "No: (q / √d) · k = (q · k) / √d = (q / ⁴√d) · (k / ⁴√d). The scaled scores and the weights are the same.",
        "Dividing Q touches n × d_k numbers instead of n², and dividing early keeps the products small, which matters "
        "in 16 bits.",
    ),
    "Drag the block to where it divides: the numbers of Q and K change, the scaled scores and the attention weights "
    "do not.",
    Scenario("the cat sat down", d_in=3, d_out=3, init="normal", seed=5),
    _where,
    options=(Option("place", "Where the block ÷ √d_k divides", tuple(_PLACES), _ON_SCORES, block=True),),
    step=6,
)

SIZES = (_SIZES, _ROOT, _WHICH_D, _WHERE)
