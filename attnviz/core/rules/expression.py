"""The language in which rules declare their cells: expressions as plain lists.

A declaration goes to the page as JSON: `reading.py` and `explaining/` interpret it here, `board/values/` there.

>>> a, b = sources(2)
>>> (a[I, J] + b[I, J]).parts
['+', ['at', 0, [0, 1, 0, 0], [0, 0, 1, 0]], ['at', 1, [0, 1, 0, 0], [0, 0, 1, 0]]]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Parts: TypeAlias = list[Any]  # a node as JSON: what it does, and what with
Text: TypeAlias = Sequence[Any]  # plain text, and nodes in place of which a page writes a name or a number
Sentence: TypeAlias = list[Any]  # the key of a sentence, and what stands at its places


@dataclass(frozen=True)
class Index:
    """A row or column of a source, computed from i, j, k.

    `entries`, if any, are added by the row i.
    """

    constant: int = 0
    i: int = 0
    j: int = 0
    k: int = 0
    rest: int = 0  # times j modulo `modulus`
    modulus: int = 1
    entries: tuple[int, ...] = ()

    def __add__(self, other: "Index | int") -> "Index":
        more = other if isinstance(other, Index) else Index(other)
        return Index(
            self.constant + more.constant, self.i + more.i, self.j + more.j, self.k + more.k, self.rest + more.rest,
            max(self.modulus, more.modulus), self.entries or more.entries,
        )  # fmt: skip

    def __mul__(self, n: int) -> "Index":
        return Index(self.constant * n, self.i * n, self.j * n, self.k * n, self.rest * n, self.modulus, self.entries)

    def __neg__(self) -> "Index":
        return self * -1

    def __sub__(self, other: "Index | int") -> "Index":
        return self + (-other)

    @property
    def parts(self) -> Parts:
        """Its numbers: those of the place alone, where there is nothing else."""
        place = [self.constant, self.i, self.j, self.k]
        return [*place, self.rest, self.modulus, list(self.entries)] if self.rest or self.entries else place

    @property
    def number(self) -> "Node":
        """The row or column as a number."""
        return Node("index", self)

    @property
    def place(self) -> Parts:
        """The row or column as a text writes it."""
        return Node("place", self).parts

    @property
    def tokens(self) -> Parts:
        """So many tokens in words."""
        return Node("tokens", self).parts


I, J, K = Index(i=1), Index(j=1), Index(k=1)  # noqa: E741


def j_modulo(modulus: int) -> Index:
    """Return the column modulo a number."""
    return Index(rest=1, modulus=modulus)


class _Of:
    """What makes a node of this name from another one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, of: "Node", _: type) -> "Node":
        return Node(self._name, of)


class Node:
    """A part of an expression."""

    exp, ln, root, tanh, normal, positive, cos, sin, negative = map(
        _Of, ("exp", "ln", "root", "tanh", "normal", "positive", "cos", "sin", "negative")
    )
    magnitude = _Of("magnitude")  # without its sign; of -∞ 0, for that is no number of a size
    rounded = _Of("rounded")  # a number that torch keeps on the way, in float32
    level = _Of("level")  # what cancels out: 0, unless exponentials would be too large to read
    lasting = _Of("lasting")  # the same, unless it's too small for float32, which keeps nothing of it
    away = _Of("away")  # how far from 0, up to where the exponential below it is 0 at every precision
    as_number = _Of("as_number")  # written as one number, whatever it's made of
    at_once = _Of("at_once")  # written out, then as one number, without a step for each part

    def __init__(self, *parts: Any) -> None:
        self.parts: Parts = [each.parts if isinstance(each, Node | Index) else each for each in parts]

    def __add__(self, other: "Node") -> "Node":
        return Node("+", self, other)

    def __sub__(self, other: "Node") -> "Node":
        return Node("-", self, other)

    def __mul__(self, other: "Node") -> "Node":
        return Node("*", self, other)

    def __truediv__(self, other: "Node") -> "Node":
        return Node("/", self, other)

    def within(self, low: float, high: float) -> "Node":
        """Return 1 if a number lies strictly between two, else 0."""
        return Node("within", self, low, high)

    def hidden(self, mask: "Node", roundings: int) -> "Node":
        """Return a number plus a mask, or -∞ where the mask is."""
        return Node("hidden", self, mask, roundings)

    def weighed(self, mask: "Node", roundings: int) -> "Node":
        """Return a number times the exponential of a mask."""
        return Node("weighed", self, mask, roundings)

    @property
    def written(self) -> Parts:
        """A number as a page writes it."""
        return ["written", self.parts]


class Source:
    """A matrix that a rule reads; its methods make nodes of texts."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __getitem__(self, place: tuple[Any, Any]) -> Node:
        """Return a cell; columns past the end continue in the next row."""
        row, column = (each if isinstance(each, Index) else Index(each) for each in place)
        return Node("at", self.number, row, column)

    def name(self, row: Any = I, column: Any = J) -> Parts:
        """The cell in symbols; ":" or "j" stand for a whole line."""
        return Node("name", self.number, row, column).parts

    def named(self, row: Any = I, column: Any = J) -> Parts:
        """The cell in symbols, with the token that its row is of."""
        return Node("named", self.number, row, column).parts

    def beside(self, row: Any = I, column: Any = J) -> Parts:
        """Return the cell in symbols, or its formula if it isn't shown."""
        return Node("beside", self.number, row, column).parts

    def spelled(self, made_of: Text, shown: Text) -> Parts:
        """Return `made_of` if the cell is told by its formula, else `shown`."""
        return ["spelled", self.number, text(*made_of), text(*shown)]

    def token(self, row: Index = I) -> Parts:
        """Return a row's token; sentences that need it are skipped without it."""
        return Node("token", self.number, row).parts

    def row(self, column: Index) -> Parts:
        """Return the row of a cell whose column continues in later rows."""
        return Node("row_of", self.number, column).parts

    def token_at(self, column: Index) -> Parts:
        """The token of that row."""
        return Node("token_at", self.number, column).parts

    def entry(self, column: Index) -> Parts:
        """Return the vocabulary entry that a column stands for, if any."""
        return Node("entry_of", self.number, column).parts

    def line(self, row: Index) -> Parts:
        """A row by its token, or by its number."""
        return Node("line", self.number, row).parts

    def column(self, column: Index) -> Parts:
        """A column by its number in the whole matrix."""
        return Node("column", self.number, column).parts

    @property
    def symbol(self) -> Parts:
        """What the matrix is called in symbols."""
        return ["symbol", self.number]

    @property
    def title(self) -> Parts:
        """What the matrix is called in words."""
        return ["title", self.number]


RESULT = Source(-1)  # the matrix that the rule makes
EPS = Node("eps")  # how far, relatively, two neighbours are apart in the precision that a cell is kept in
TINY = 2.0**-103  # times that, it's the smallest number that has all its digits in float32
MOST = 3.4e38  # that float32 holds, about
HEAD: Parts = ["head"]  # the number of its head, where it has one
LOWERED: Parts = ["lowered"]  # what is subtracted of a level that isn't 0


def sources(n: int) -> list[Source]:
    """Return so many sources."""
    return [Source(number) for number in range(n)]


def number(value: float, text: str = "") -> Node:
    """Return a constant, written as any number, or as this text."""
    return Node("number", value, text) if text else Node("number", value)


def power(base: float, index: Index, d: int) -> Node:
    """Return a base to the power of minus a place over d."""
    return Node("power", base, index, d)


def entry(numbers: Sequence[float], index: Index) -> Node:
    """Return the number at a place of a list."""
    return Node("entry", list(numbers), index)


def add_up(n: int, each: Node, keep: Index | None = None, more: Node | None = None) -> Node:
    """Return the sum over k, plus `more`; `keep` survives shortening."""
    return Node("sum", n, each, keep, more)


def largest(n: int, each: Node, more: Node | None = None) -> Node:
    """Return the largest over k of n numbers, and of one `more`."""
    return Node("max", n, each, more)


def sentence(key: str, **places: Any) -> Sentence:
    """Return a sentence with its places filled by values, nodes or sentences."""
    return ["say", key.removeprefix("explanation."), places]


def text(*parts: Any) -> Parts:
    """Return several parts of a text as one."""
    return ["text", *parts]


@dataclass(frozen=True)
class Piece:
    """What the cells that meet `where` are computed from, and its wording.

    `where` has triples (index, from, to), of which the last is left out, and nodes that are to be positive. Of `words`,
    the first is said whose places are known. So many `roundings` of numbers of this `size`, that of all addends if none
    is named, may be between a cell and its exact value. Of trouble, it's said as `trouble` says.

    Of shares, `line` says over what they are made, and `undefined` that all of it is; `share` is one before a mask is
    laid over it, and `sink` the number that stands beside. A cell that isn't shown is told by what it's made of where
    there are `asides`: what is said besides of that then.
    """

    value: Node
    symbols: Text = ()
    words: Sequence[Sentence] = ()
    where: Sequence[Any] = ()
    roundings: float | Node = 0
    size: Node | None = None
    trouble: str = "copied"
    line: Sentence | None = None
    undefined: Sentence | None = None
    share: Node | None = None
    sink: float | None = None
    asides: Sequence[Sentence] | None = None

    def as_json(self) -> Mapping[str, Any]:
        """Return it as the page reads it."""
        where = [list(each.parts) if isinstance(each, Node) else [each[0].parts, *each[1:]] for each in self.where]
        own = {name: each.parts if isinstance(each, Node) else each for name, each in vars(self).items()}
        return {name: each for name, each in own.items() if each is not None} | {"where": where}
