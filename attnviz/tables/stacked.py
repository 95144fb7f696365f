"""The tables of several heads in one text: a tensor with an axis for the heads, or tables below "Head 0", "Head 1"."""

import re
from collections.abc import Iterator, Mapping

_BRACKET = re.compile(r"[\[\]]")
_DTYPE = re.compile(r",\s{0,8}dtype=(?:torch\.)?\w{1,20}")
_HEAD = re.compile(r"[#>*\s-]{0,12}head[\s_#]{0,3}\[?([0-9]{1,2})\]?[*\s]{0,4}[:.)]?[*\s]{0,4}", re.IGNORECASE)
# "scores of head 1", "head 1: scores", "scores, head 1", "heads.1.scores"; scores[1] may be a row.
_BEHIND = re.compile(
    r"(.{1,60}?)[\s,(_–-]{1,4}(?:of |in |for )?head[\s_#]{0,3}\[?([0-9]{1,2})\]?\)?([\s:=*]{0,6}.{0,40})",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE = re.compile(r"(?:head[\s_#]{0,3}([0-9]{1,2})[\s:,.–_-]{1,4}|heads\.([0-9]{1,2})\.)(.{1,80})", re.IGNORECASE)
_MOST_OF_A_NAME = 90


def head_said(text: str) -> tuple[int | None, str]:
    """Return which head a heading or a name speaks of, and the rest of it.

    >>> head_said("Head 1: scores"), head_said("scores of head 0"), head_said("heads.1.q"), head_said("W_q")
    ((1, 'scores'), (0, 'scores'), (1, 'q'), (None, 'W_q'))
    """
    if len(text) > _MOST_OF_A_NAME:
        return None, text
    if before := _BEFORE.fullmatch(text.strip("#*_-> \t")):
        return int(before[1] or before[2]), before[3]
    if behind := _BEHIND.fullmatch(text):
        return int(behind[2]), behind[1] + behind[3]
    return None, text


def head_of_line(line: str) -> int | None:
    """Return the number of the head that a line is the heading of, and of nothing else.

    >>> head_of_line("## Head 1"), head_of_line("Head 1: scores")
    (1, None)
    """
    found = _HEAD.fullmatch(line) if len(line) <= _MOST_OF_A_NAME else None
    return int(found[1]) if found else None


def unstacked(text: str) -> dict[int, str]:
    """Return the text of the table of each head, from 0 on; nothing where a text holds no more than one table.

    >>> unstacked("tensor([[[1., 2.]], [[3., 4.]]])")
    {0: '[[1., 2.]]', 1: '[[3., 4.]]'}
    >>> unstacked("Head 1\\n1 2\\n\\nHead 2\\n3 4")
    {0: '1 2', 1: '3 4'}
    """
    parts = dict(_below_headings(text)) or dict(enumerate(_in_brackets(text)))
    if len(parts) < 2:
        return {}
    return from_0(parts)


def from_0(parts: Mapping[int, str]) -> dict[int, str]:
    """Return what is numbered by heads with numbers from 0 on: some count them from 1."""
    first = 1 if min(parts) == 1 and len(parts) == max(parts) else 0
    return {head - first: part for head, part in sorted(parts.items())}


def stacked(parts: Mapping[int, str]) -> str:
    """Return the tables of several heads as one text that :func:`unstacked` takes apart.

    >>> unstacked(stacked({0: "1 2", 1: "3 4"}))
    {0: '1 2', 1: '3 4'}
    """
    return "\n\n".join(f"Head {head}\n{part}" for head, part in sorted(parts.items()))


def _below_headings(text: str) -> Iterator[tuple[int, str]]:
    lines = text.splitlines()
    heads = [(i, head) for i, line in enumerate(lines) if (head := head_of_line(line)) is not None]
    ends = [i for i, _ in heads[1:]] + [len(lines)] * bool(heads)
    for (i, head), end in zip(heads, ends, strict=True):
        yield head, "\n".join(lines[i + 1 : end]).strip("\n")


def _in_brackets(text: str) -> Iterator[str]:
    """Yield the matrices of a tensor with more than two axes."""
    depth = deepest = start = 0
    for sign in _BRACKET.finditer(text):
        depth += 1 if sign[0] == "[" else -1
        deepest = max(deepest, depth)
    if deepest < 3:
        return
    depth = 0
    dtype = said[0] if (said := _DTYPE.search(text)) else ""
    for sign in _BRACKET.finditer(text):
        depth += sign[0] == "["
        if depth == deepest - 1 and sign[0] == "[":
            start = sign.start()
        elif depth == deepest - 1:
            yield text[start : sign.end()] + dtype
        depth -= sign[0] == "]"
