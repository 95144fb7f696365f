"""Sentences about a trace: what a token reads, and what is unusual."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.attention.defined import lost_rows
from attnviz.core.rules import in_rows, owner_of
from attnviz.core.rules.rows import COLUMNS, ROWS
from attnviz.core.rules.stage import OWN_ROWS
from attnviz.core.tokens import token_labels
from attnviz.explanation.masking import mask_notes, undefined_by_mask, what_if_notes
from attnviz.words import listed, say
from attnviz.words.numbers import written

SAME = 1e-6  # attention weights that differ by less, and are written alike, count as the same
NAMED = 3  # tokens that a sentence names, where several are read alike
LONGEST_NAME = 40  # characters of a token that a sentence names
_IN_FULL = 8  # numbers of a row, in a description for those who can't see it


def _labels(trace: AttentionTrace) -> tuple[str, ...]:
    if trace.tokens:
        return token_labels(trace.tokens, LONGEST_NAME)
    n_tokens = trace.attention_weights.shape[-2]  # a model's trace may lack X
    return tuple(say("summary.token", position=position) for position in range(n_tokens))


def attends_most(trace: AttentionTrace, query: int, digits: int) -> str:
    """Return which token a query reads most, with weight and even share.

    Several tokens are read most if their weights are written alike, and all equally if their weights are the same.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> attends_most(trace(Scenario(embedding="published")), 1, 4)
    '“journey” reads itself most: attention weight 0.2264, where an even share would be 0.1667.'
    """
    kind, keys, places = _reading(trace, query, digits)
    if keys:
        places["names"] = _names(trace, query, keys, say)
    return say(f"summary.reads.{kind}", **places)


# Kinds of reading that mean nothing if the numbers are random -> the name of the sentence that says so.
BY_CHANCE = {
    **dict.fromkeys(("most", "most_each", "of_rest", "of_rest_each"), "most"),
    **dict.fromkeys(("barely", "barely_each"), "barely"),
    "mixed": "mixed",
}


def finding(trace: AttentionTrace, query: int, digits: int) -> str:
    """Return what :func:`attends_most` does, with a warning if numbers are random.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> finding(trace(Scenario(embedding="published")), 1, 4)
    'Random numbers, so this means nothing: “journey” happens to read itself most.'
    """
    kind, keys, places = _reading(trace, query, digits)
    if not trace.chance or kind not in BY_CHANCE:
        return attends_most(trace, query, digits)
    if keys:
        places["names"] = _names(trace, query, keys, say)
    return say(f"summary.chance.{trace.chance}", finding=say(f"summary.by_chance.{BY_CHANCE[kind]}", **places))


def reads_most(trace: AttentionTrace, query: int, digits: int) -> tuple[str, bool]:
    """Return the board's sentence about a query, and whether it reads equally."""
    kind, keys, places = _reading(trace, query, digits)
    if keys:
        places["names"] = _names(trace, query, keys, _said_on_board)
    return say(f"board.reads.{kind.replace('of_rest', 'most')}", **places), kind.startswith("equally")


def _said_on_board(key: str, **places: Any) -> str:
    return say("board.named", **places) if key == "summary.named" else say(key, **places)


def _reading(trace: AttentionTrace, query: int, digits: int) -> tuple[str, list[int], dict[str, Any]]:
    """Return the kind of sentence, the keys to name, and its places."""
    token = _labels(trace)[query]
    row = trace.attention_weights[query]
    n_tokens = len(row)
    hidden = trace.masked_in("attention_weights")
    readable = list(range(n_tokens)) if hidden is None else np.flatnonzero(~hidden[query]).tolist()
    if trace.shared_over == COLUMNS and hidden is not None:  # columns that nobody may read hold NaN
        row = row.masked_fill(torch.from_numpy(hidden[query]).to(row.device), 0.0)
    if trace.stages["attention_weights"].owners != OWN_ROWS:
        return _reading_mixed(trace, query, row if readable else None, digits)
    reach = len(readable)
    if not reach:
        return "nothing", [], {"token": token}
    if torch.isnan(row).any():
        lost = "scaled_scores" in trace.stages and bool(lost_rows(trace)[query])
        return ("lost" if lost else "undefined"), [], {"token": token}
    weight = written(row.max().item(), digits)
    told = {"token": token, "weight": weight}
    if reach == 1:
        own = _own_key(trace, query)
        only = "only" if readable[0] != own else "itself" if own else "first"
        return (only if n_tokens > 1 or own is None else "alone"), readable, told
    shares = row.tolist()
    alike = [key for key in readable if written(shares[key], digits) == weight]
    ties = alike if len(alike) < reach else [key for key in alike if row.max() - shares[key] < SAME]
    each = "_each" if len(ties) > 1 else ""
    if not _shares_all(trace):  # a row that doesn't sum to 1 has no even share
        return f"of_rest{each}", ties, told
    if len(ties) == reach:
        both = "_both" if reach == 2 else ""
        if reach == n_tokens:
            return f"equally{both}", [], told | {"count": n_tokens}
        return (
            (f"equally_masked{both}" if _is_past(trace, readable, query) else "equally_readable"),
            [],
            told | {"n": reach},
        )
    even = written(1 / reach, digits)
    return (f"barely{each}" if even == weight else f"most{each}"), ties, told | {"even": even}


def _reading_mixed(
    trace: AttentionTrace, query: int, row: torch.Tensor | None, digits: int
) -> tuple[str, list[int], dict[str, Any]]:
    """Return what :func:`_reading` does, where a view mixes tokens."""
    read = trace.stages["attention_weights"].entries
    names = {"row": _labels(trace), "key": token_labels(read, LONGEST_NAME) if read else _labels(trace)}

    def whose(kind: str, at: int) -> str:
        return names[kind][owner_of(trace.stages["attention_weights"], at, len(names[kind]))]

    told = {"row": query, "token": whose("row", query)}
    if row is None or torch.isnan(row).any():
        return ("mixed_nothing" if row is None else "mixed_undefined"), [], told
    largest = int(row.argmax())
    more = {"weight": written(row[largest].item(), digits), "key": largest, "other": whose("key", largest)}
    return "mixed", [], told | more


def _is_past(trace: AttentionTrace, readable: list[int], query: int) -> bool:
    """Whether a query may read itself and those before it."""
    own = _own_key(trace, query)
    return own is not None and readable == list(range(own + 1))


def _own_key(trace: AttentionTrace, query: int) -> int | None:
    """Return the query's own key; None if another sentence is read."""
    first_own_key = trace.stages["attention_weights"].first_own_key
    return None if first_own_key is None else first_own_key + query


def _shares_all(trace: AttentionTrace) -> bool:
    """Whether each row of attention weights sums to 1."""
    weights = trace.stages["attention_weights"]
    return trace.shared_over == ROWS if weights.rule is None else weights.rule.sums_to_1(len(weights.sources))


def _names(trace: AttentionTrace, query: int, keys: Sequence[int], tell: Callable[..., str]) -> str:
    read, own = trace.stages["attention_weights"].entries, _own_key(trace, query)
    labels = token_labels(read, LONGEST_NAME) if read else _labels(trace)
    names = [say("summary.itself") if key == own else tell("summary.named", token=labels[key]) for key in keys]
    if len(names) > NAMED:
        return say("summary.more", names=", ".join(names[:NAMED]), rest=len(names) - NAMED)
    return listed(names)


def described(trace: AttentionTrace, name: str, query: int, digits: int) -> str:
    """Describe a matrix for someone who cannot see its picture.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> described(trace(Scenario(embedding="published")), "q", 1, 2)
    'Q, queries, 6 by 2: what each token looks for. Values from 0.23 to 1.46. The row of “journey”: 0.43, 1.46.'
    """
    stage = trace.stages[name]
    matrix = in_rows(trace[name])
    finite = matrix[torch.isfinite(matrix)]
    rows, columns = matrix.shape
    parts = [say("summary.described.matrix", title=stage.title, rows=rows, columns=columns, meaning=stage.meaning)]
    if finite.numel():
        low, high = written(finite.min().item(), digits), written(finite.max().item(), digits)
        parts.append(say("summary.described.spread", low=low, high=high))
    if finite.numel() < matrix.numel():
        parts.append(say("summary.described.not_finite", n=matrix.numel() - finite.numel()))
    if name == "attention_weights":
        parts.append(attends_most(trace, query, digits))
    elif stage.rows != "feature" and not stage.is_of_others:
        numbers = ", ".join(written(value, digits) for value in matrix[query, :_IN_FULL].tolist())
        key = "summary.described.row_longer" if columns > _IN_FULL else "summary.described.row"
        parts.append(say(key, token=_labels(trace)[owner_of(stage, query, rows)], numbers=numbers))
    return " ".join(parts)


def out_of_the_ordinary(trace: AttentionTrace) -> list[str]:
    """Return which cells are masked, and where numbers first overflow float32.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> out_of_the_ordinary(trace(Scenario(text="a b", causal=True)))
    ['1 of 4 scaled scores is masked (−∞): no token may read a later one.']
    """
    notes = [*what_if_notes(trace), *mask_notes(trace)]
    if undefined_by_mask(trace):  # then there's nothing more to say
        return notes
    rows = torch.cat([torch.isnan(layer.attention_weights).any(-1).flatten() for layer in trace.layers])
    for name in (name for name, stage in trace.stages.items() if stage.rule):
        note = _overflow(trace, name)
        if note and name.endswith("attention_weights"):  # although its scores are finite
            lost = sum(int(lost_rows(layer).sum()) for layer in trace.layers)
            return [*notes, say("summary.notes.lost", n=lost, count=rows.numel())]
        if note:
            notes.append(note)
            break  # later matrices aren't finite either
    if undefined := int(rows.sum()):
        notes.append(say("summary.notes.undefined", n=undefined, count=rows.numel()))
    return notes


def _overflow(trace: AttentionTrace, name: str) -> str | None:
    matrix = trace[name]
    finite = torch.isfinite(matrix)
    if finite.all():
        return None
    bad = ~finite
    masked = trace.masked_in(name)
    if masked is not None:
        bad &= ~torch.from_numpy(masked).to(bad.device)
    if not bad.any():
        return None
    row, column = bad.nonzero()[0].tolist()
    stage = trace.stages[name]
    return say(
        "summary.notes.overflow", n=int(bad.sum()), count=matrix.numel(), title=stage.title,
        cell=f"{stage.symbol}[{row}, {column}]", value=written(matrix[row, column].item(), 1),
    )  # fmt: skip
