"""What each step of the lesson asks to be predicted of a board, and which choice its numbers make right."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.tokens import token_labels
from attnviz.explanation.told import Numbers
from attnviz.words import plural, say
from attnviz.words.numbers import written
from attnviz.words.shares import percent

# Of a step, by the numbers of a trace and the query's position: the choices, the right one first named, and what its
# sentences have places for. None where these numbers leave nothing to predict.
Found = tuple[tuple[str, ...], str, dict[str, object]]


@dataclass(frozen=True)
class StepPrediction:
    """What a step asks, which choice is right, and what stands beside that afterwards."""

    step: str
    choices: tuple[str, ...]
    right: str
    places: MappingProxyType[str, object]

    def _say(self, key: str) -> str:
        return say(f"lesson_predictions.{self.step}.{key}", **self.places)

    @property
    def asks(self) -> tuple[str, str]:
        """What will be done, and the question."""
        return self._say("act"), self._say("asks")

    @property
    def labels(self) -> dict[str, str]:
        """What the choices say, by their names."""
        return {choice: self._say(f"choice.{choice}") for choice in self.choices}

    def outcome(self, predicted: str) -> list[str]:
        """Return what was predicted beside what happened, why, and what to try; of a wrong choice, what leads to it."""
        happened = self._say("happened")
        if predicted not in self.choices:
            return [happened, self._say("why"), self._say("next")]
        as_it_was = "as" if predicted == self.right else "but"
        both = say(f"lesson_predictions.{as_it_was}", predicted=self.labels[predicted], happened=happened)
        leads = [] if predicted == self.right else [self._say(f"wrong.{predicted}")]
        return [both, *leads, self._say("why"), self._say("next")]


def _named(trace: AttentionTrace, position: int) -> str:
    return say("lesson.named", token=token_labels(trace.tokens, 40)[position])


def _other(trace: AttentionTrace, query: int) -> int:
    """Return the key beside its own that a query has the largest score for."""
    row = torch.nan_to_num(trace.scores[query], nan=-torch.inf).clone()
    row[query] = -torch.inf
    return int(row.argmax())


def _in_x(trace: AttentionTrace, query: int, digits: int) -> Found:
    n, d_in = len(trace.tokens), trace.x.shape[-1]
    counts = {"all": n * d_in, "sentence": d_in, "token": n}
    choices = tuple(name for name, count in counts.items() if name == "all" or count != counts["all"])
    return choices, "all", {**counts, "tokens": plural(n, "token"), "d_in": d_in}


def _query_and_key(trace: AttentionTrace, query: int, digits: int) -> Found:
    one, other = trace.q[query], trace.k[query]
    right = "same" if one.shape == other.shape and bool(one.equal(other)) else "differ"
    q, k = (Numbers(name, query).text(trace, digits) for name in "qk")
    return ("same", "differ"), right, {"token": _named(trace, query), "q": q, "k": k}


def _sign(trace: AttentionTrace, query: int, digits: int) -> Found:
    other = _other(trace, query)
    score = trace.scores[query, other].item()
    right = "above" if score > 0 else "below" if score < 0 else "zero"
    names = {"token": _named(trace, query), "other": _named(trace, other)}
    return ("above", "zero", "below"), right, {**names, "score": written(score, digits)}


def _mirrored(trace: AttentionTrace, query: int, digits: int) -> Found:
    other = _other(trace, query)
    there, back = trace.scores[query, other].item(), trace.scores[other, query].item()
    right = "same" if there == back else "more" if back > there else "less"
    names = {"token": _named(trace, query), "other": _named(trace, other)}
    return ("more", "same", "less"), right, {
        **names, "there": written(there, digits), "back": written(back, digits)
    }  # fmt: skip


def _spread(trace: AttentionTrace, query: int, digits: int) -> Found:
    before, after = (_range(row[query]) for row in (trace.scores, trace.scaled_scores))
    right = "same" if before == after else "wider" if after > before else "closer"
    return ("wider", "same", "closer"), right, {
        "token": _named(trace, query), "before": written(before, digits), "after": written(after, digits)
    }  # fmt: skip


def _range(row: torch.Tensor) -> float:
    """How far the largest number of a row is from the smallest, of those that are finite."""
    finite = row[row.isfinite()]
    return float(finite.max() - finite.min()) if finite.numel() else 0.0


def _largest_share(trace: AttentionTrace, query: int, digits: int) -> Found:
    row = trace.attention_weights[query]
    most = int(row.argmax())
    share = row[most].item()
    right = "all" if share >= 1 else "half" if share >= 0.5 else "less"
    names = {"token": _named(trace, query), "most": _named(trace, most)}
    return ("all", "half", "less"), right, {**names, "share": percent(share)}


def _between(trace: AttentionTrace, query: int, digits: int) -> Found:
    values = trace.v[trace.attention_weights[query] != 0, 0]
    least, most, mixed = values.min().item(), values.max().item(), trace.context[query, 0].item()
    # A mix of equal numbers may be off by the last digit.
    slack = 1e-5 * max(abs(least), abs(most))
    right = "above" if mixed > most + slack else "below" if mixed < least - slack else "between"
    return ("above", "between", "below"), right, {
        "token": _named(trace, query), "least": written(least, digits), "most": written(most, digits),
        "mixed": written(mixed, digits),
    }  # fmt: skip


def _nearest(trace: AttentionTrace, query: int, digits: int) -> Found | None:
    row = trace.attention_weights[query].clone()
    row[query] = -1.0
    other = int(row.argmax())
    own, read = (float((trace.context[query] - trace.v[at]).norm()) for at in (query, other))
    if own == read:
        return None
    right = "own" if own < read else "read"
    names = {"token": _named(trace, query), "other": _named(trace, other)}
    return ("own", "read"), right, {**names, "own": written(own, digits), "read": written(read, digits)}


_PAIRS = ("one-score", "all-scores", "context")  # which ask about two tokens
_FIND: dict[str, Callable[[AttentionTrace, int, int], Found | None]] = {
    "embeddings": _in_x, "projections": _query_and_key, "one-score": _sign, "all-scores": _mirrored,
    "scale": _spread, "softmax": _largest_share, "mix": _between, "context": _nearest,
}  # fmt: skip
ASKING = tuple(_FIND)


def prediction_of(step: str, trace: AttentionTrace, query: int, digits: int) -> StepPrediction | None:
    """Return what a step asks of these numbers; None where there is nothing to predict: of one token, of numbers that
    are none, or where a piece of a token stands in each row."""
    n, shown = len(trace.tokens), (trace.q, trace.k, trace.scores, trace.attention_weights, trace.context, trace.v)
    aligned = all(matrix.shape[0] == n for matrix in shown) and trace.scores.shape[1] == n
    if step not in _FIND or not aligned or (n == 1 and step in _PAIRS):
        return None
    rows = trace.scores[query], trace.attention_weights[query], trace.context[query], trace.v, trace.q, trace.k
    if step != "embeddings" and not all(bool(each.isfinite().all()) for each in rows):
        return None
    found = _FIND[step](trace, query, digits)
    if found is None or len(found[0]) < 2:
        return None
    choices, right, places = found
    return StepPrediction(step, choices, right, MappingProxyType(places))
