"""The question that each step of the lesson asks before its explanation."""

from collections.abc import Callable

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import token_labels
from attnviz.explanation.sentences import Numbers
from attnviz.predicting.choice_question import ChoiceQuestion, spread
from attnviz.words import plural, say
from attnviz.words.numbers import percent, written


def named(trace: AttentionTrace, position: int) -> str:
    """Return a token as sentences call it."""
    return say("lesson.named", token=token_labels(trace.tokens, 40)[position])


# The names of a question's choices, the name of the right one, and the places of its sentences. The functions below
# return None where a trace's numbers leave nothing to predict.
_Found = tuple[tuple[str, ...], str, dict[str, object]]


def _names(trace: AttentionTrace, query: int, other: int) -> dict[str, object]:
    return {"token": named(trace, query), "other": named(trace, other)}


def _other(row: torch.Tensor, query: int) -> int:
    """Return the key with the row's largest number, except the query's own."""
    return int(torch.nan_to_num(row, nan=-torch.inf).index_fill(0, torch.tensor([query]), -torch.inf).argmax())


def _compared(number: float, to: float, choices: tuple[str, str, str]) -> tuple[tuple[str, str, str], str]:
    """Return the choices for more, same and less, and the right one."""
    return choices, choices[0 if number > to else 2 if number < to else 1]


def _in_x(trace: AttentionTrace, query: int, digits: int) -> _Found:
    n, d_in = len(trace.tokens), trace.x.shape[-1]
    counts = {"all": n * d_in, "sentence": d_in, "token": n, "pair": n * n}
    others = [name for name, count in counts.items() if name == "all" or count != counts["all"]]
    return tuple(sorted(others, key=counts.__getitem__)), "all", {**counts, "tokens": plural(n, "token"), "d_in": d_in}


def _query_and_key(trace: AttentionTrace, query: int, digits: int) -> _Found:
    q, k = (Numbers(name, query).text(trace, digits) for name in "qk")
    right = "same" if torch.equal(trace.q[query], trace.k[query]) else "differ"
    d_in, d_k = trace.x.shape[-1], trace.q.shape[-1]
    choices = ("row", "same", "differ", "score")[d_in == d_k :]
    return choices, right, {"token": named(trace, query), "q": q, "k": k, "d_in": d_in, "d_k": d_k}


def _sign(trace: AttentionTrace, query: int, digits: int) -> _Found:
    other = _other(trace.scores[query], query)
    score = trace.scores[query, other].item()
    found = _compared(score, 0.0, ("above", "zero", "below"))
    return *found, _names(trace, query, other) | {"score": written(score, digits)}


def _mirrored(trace: AttentionTrace, query: int, digits: int) -> _Found:
    other = _other(trace.scores[query], query)
    there, back = trace.scores[query, other].item(), trace.scores[other, query].item()
    places = {"there": written(there, digits), "back": written(back, digits)}
    return *_compared(back, there, ("more", "same", "less")), _names(trace, query, other) | places


def _scaled(trace: AttentionTrace, query: int, digits: int) -> _Found | None:
    before, after = (spread(matrix[query]) for matrix in (trace.scores, trace.scaled_scores))
    if not before:
        return None
    places = {
        name: written(number, digits) for name, number in (("before", before), ("after", after), ("half", before / 2))
    }
    masked = len(trace.stages["scaled_scores"].sources) > 1  # a mask after the softmax changes no scaled score
    places["masked"] = f" {say('lesson_predictions.scale.masked')}" if masked else ""
    choices = ("wider", "same", "closer", "half")
    right = "half" if 2 * after <= before else "closer"
    return choices, _compared(after, before, ("wider", "same", right))[1], {"token": named(trace, query), **places}


def _largest_share(trace: AttentionTrace, query: int, digits: int) -> _Found:
    row = trace.attention_weights[query]
    share, most = row.max().item(), named(trace, int(row.argmax()))
    right = "all" if share >= 1 else "half" if share >= 0.5 else "less"
    return ("all", "half", "less"), right, {"token": named(trace, query), "most": most, "share": percent(share)}


def _mixed(trace: AttentionTrace, query: int, digits: int) -> _Found | None:
    read = trace.v[trace.attention_weights[query] != 0, 0]
    if not len(read):
        return None
    mixed, numbers = trace.context[query, 0].item(), {"mean": read.mean().item(), "total": read.sum().item()}
    told = {name: written(number, digits) for name, number in {**numbers, "mixed": mixed}.items()}
    apart = abs(trace.attention_weights[query].sum().item() - 1) > 1e-3
    told["beyond"] = f" {say('lesson_predictions.mix.beyond')}" if apart else ""
    told["shares"] = say(f"lesson_predictions.mix.{'lossy' if apart else 'uneven'}")
    right = "even" if told["mixed"] == told["mean"] else "above" if mixed > numbers["mean"] else "below"
    choices = ("above", "even", "below", *(["sum"] if told["total"] not in (told["mean"], told["mixed"]) else []))
    return choices, right, {"token": named(trace, query), **told}


def _nearest(trace: AttentionTrace, query: int, digits: int) -> _Found | None:
    other = _other(trace.attention_weights[query], query)
    away = (trace.context[query] - trace.v).norm(dim=-1)
    own, read = away[[query, other]].tolist()
    nearest, two = int(away.argmin()), len(away) == 2
    right = "middle" if own == read else "own" if own < read else "read"
    if away[nearest] < min(own, read):
        right = "another"
    elif right == "middle" and not two:
        return None
    at = {"token": named(trace, nearest), "away": written(float(away[nearest]), digits)}
    told = say("lesson_predictions.context.nearest", **at) if right == "another" else ""
    places = {"own": written(own, digits), "read": written(read, digits), "nearest": told}
    return ("own", "read", "middle" if two else "another"), right, _names(trace, query, other) | places


_FIND: dict[str, Callable[[AttentionTrace, int, int], _Found | None]] = {
    "embeddings": _in_x, "projections": _query_and_key, "one-score": _sign, "all-scores": _mirrored,
    "scale": _scaled, "softmax": _largest_share, "mix": _mixed, "context": _nearest,
}  # fmt: skip
ASKING = tuple(_FIND)
_PAIRS = ("one-score", "all-scores", "context")  # these steps ask about two tokens


def nothing_to_predict(step: str, trace: AttentionTrace, query: int) -> str:
    """Return the reason's key if a step asks nothing, else blank."""
    n, shown = len(trace.tokens), (trace.q, trace.k, trace.scores, trace.attention_weights, trace.context, trace.v)
    if any(matrix.shape[0] != n for matrix in shown) or trace.scores.shape[1] != n:
        return "pieces"
    if n == 1 and step in _PAIRS:
        return "alone"
    rows = trace.scores[query], trace.attention_weights[query], trace.context[query], trace.v, trace.q, trace.k
    return "" if step == "embeddings" or all(bool(each.isfinite().all()) for each in rows) else "no_numbers"


def prediction_of(step: str, trace: AttentionTrace, query: int, digits: int) -> ChoiceQuestion | None:
    """Return a step's question about these numbers; None if it has none."""
    if step not in _FIND or nothing_to_predict(step, trace, query):
        return None
    answer = _FIND[step](trace, query, digits)
    if answer is None or len(answer[0]) < 3:  # fewer than three choices leave nothing to guess
        return None
    choices, right, places = answer

    def text(key: str) -> str:
        return say(f"lesson_predictions.{step}.{key}", **places)

    rows = {f"v,{at}": "another" for at in range(len(trace.tokens))}
    rows |= {f"v,{query}": "own", f"v,{_other(trace.attention_weights[query], query)}": "read"}
    return ChoiceQuestion(
        f"step-{step}", text("act"), text("asks"), {each: text(f"choice.{each}") for each in choices}, right,
        text("happened"), {each: text(f"wrong.{each}") for each in choices if each != right},
        (text("why"), text("next")), cells=rows if step == "context" else {},
    )  # fmt: skip
