"""The language in which rules declare their cells: expressions as plain lists.

A declaration goes to the page as JSON: `reading.py` and `explaining/` interpret it here, `board/values/` there.

>>> a, b = sources(2)
>>> (a[I, J] + b[I, J]).parts
['+', ['at', 0, [0, 1, 0, 0], [0, 0, 1, 0]], ['at', 1, [0, 1, 0, 0], [0, 0, 1, 0]]]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Parts: TypeAlias = list[Any]  # a node as JSON: an operation, then its operands; or an index as numbers
Text: TypeAlias = Sequence[Any]  # strings, and nodes that are replaced by names or numbers
Sentence: TypeAlias = list[Any]  # a node of texts: "say", the key of a sentence, and what fills its places


@dataclass(frozen=True)
class Index:
    """A row or column of a source, computed from i, j, k.

    i and j are the row and column of the cell to compute, and k is the number of the term in a sum. The index is
    `constant` + `i` · i + `j` · j + `k` · k + `rest` · (j modulo `modulus`), plus `entries[i]` if there are any.
    """

    constant: int = 0
    i: int = 0
    j: int = 0
    k: int = 0
    rest: int = 0
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
        """The index's numbers in JSON form: only four if these are enough."""
        place = [self.constant, self.i, self.j, self.k]
        return [*place, self.rest, self.modulus, list(self.entries)] if self.rest or self.entries else place

    @property
    def number(self) -> "Node":
        """The row or column as a number."""
        return Node("index", self)

    @property
    def place(self) -> Parts:
        """A node of texts that writes the row or column."""
        return Node("place", self).parts

    @property
    def tokens(self) -> Parts:
        """A node of texts that writes it as a number of tokens."""
        return Node("tokens", self).parts


I, J, K = Index(i=1), Index(j=1), Index(k=1)  # noqa: E741


def j_modulo(modulus: int) -> Index:
    """Return the column modulo a number."""
    return Index(rest=1, modulus=modulus)


class _Of:
    """An attribute that applies an operation to its node."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, of: "Node", _: type) -> "Node":
        return Node(self._name, of)


class Node:
    """A part of an expression."""

    exp, ln, root, tanh, normal, positive, cos, sin, negative = map(
        _Of, ("exp", "ln", "root", "tanh", "normal", "positive", "cos", "sin", "negative")
    )
    magnitude = _Of("magnitude")  # the absolute value; 0 for -∞, which a mask adds and which has no rounding error
    rounded = _Of("rounded")  # rounded to float32, in which torch stores intermediate numbers
    level = _Of("level")  # 0, or the number itself if its exponential is hard to read; it cancels out
    lasting = _Of("lasting")  # the number, or 0 if float32 rounds it to 0
    away = _Of("away")  # the distance from 0, but at most FAR of explaining/numbers.py
    as_number = _Of("as_number")  # written as a single number, without its arithmetic
    at_once = _Of("at_once")  # written out, then computed in a single step

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
        """Return a number plus a mask, or -∞ where the mask hides.

        `roundings` is how many roundings the mask adds.
        """
        return Node("hidden", self, mask, roundings)

    def weighed(self, mask: "Node", roundings: int) -> "Node":
        """Return a number times the exponential of a mask.

        `roundings` is how many roundings the mask adds.
        """
        return Node("weighed", self, mask, roundings)

    @property
    def written(self) -> Parts:
        """A node of texts that writes the number."""
        return ["written", self.parts]


class Source:
    """A matrix that a rule reads; its methods make nodes of texts.

    An index in brackets makes a node of expressions. Indices of the methods are rows and columns of the matrix.
    """

    def __init__(self, number: int) -> None:
        self.number = number

    def __getitem__(self, place: tuple[Any, Any]) -> Node:
        """Return a cell; columns past the end continue in the next row."""
        row, column = (each if isinstance(each, Index) else Index(each) for each in place)
        return Node("at", self.number, row, column)

    def name(self, row: Any = I, column: Any = J) -> Parts:
        """Return the cell in symbols; ":" or "j" mean a whole line."""
        return Node("name", self.number, row, column).parts

    def named(self, row: Any = I, column: Any = J) -> Parts:
        """Return the cell in symbols, with the token of its row."""
        return Node("named", self.number, row, column).parts

    def beside(self, row: Any = I, column: Any = J) -> Parts:
        """Return the cell in symbols, or its formula if it isn't shown."""
        return Node("beside", self.number, row, column).parts

    def spelled(self, made_of: Text, shown: Text) -> Parts:
        """Return `made_of` if :meth:`beside` writes a formula, else `shown`."""
        return ["spelled", self.number, text(*made_of), text(*shown)]

    def token(self, row: Index = I) -> Parts:
        """Return a row's token; sentences that need it are skipped without it."""
        return Node("token", self.number, row).parts

    def row(self, column: Index) -> Parts:
        """Return the row of a cell whose column continues in later rows."""
        return Node("row_of", self.number, column).parts

    def token_at(self, column: Index) -> Parts:
        """Return the token of the row that :meth:`row` returns."""
        return Node("token_at", self.number, column).parts

    def entry(self, column: Index) -> Parts:
        """Return the vocabulary entry that a column stands for, if any."""
        return Node("entry_of", self.number, column).parts

    def line(self, row: Index) -> Parts:
        """Return a row's name: its token, or else its number."""
        return Node("line", self.number, row).parts

    def column(self, column: Index) -> Parts:
        """Return a column's name: its number in the matrix of all heads."""
        return Node("column", self.number, column).parts

    @property
    def symbol(self) -> Parts:
        """The symbol of the matrix."""
        return ["symbol", self.number]

    @property
    def title(self) -> Parts:
        """The title of the matrix, in words."""
        return ["title", self.number]


RESULT = Source(-1)  # the matrix that the rule makes
EPS = Node("eps")  # the machine epsilon of the precision in which the cell is stored
TINY = 2.0**-103  # times the epsilon of float32, it's the smallest normal number of float32
MOST = 3.4e38  # about the largest number of float32
HEAD: Parts = ["head"]  # a node of texts: the number of the cell's head, if it has one
LOWERED: Parts = ["lowered"]  # a node of texts: " − m" if a level m other than 0 is subtracted


def sources(n: int) -> list[Source]:
    """Return the first `n` sources."""
    return [Source(number) for number in range(n)]


def number(value: float, text: str = "") -> Node:
    """Return a constant; `text` is written in place of its digits."""
    return Node("number", value, text) if text else Node("number", value)


def power(base: float, index: Index, d: int) -> Node:
    """Return `base` to the power of −`index` / `d`."""
    return Node("power", base, index, d)


def entry(numbers: Sequence[float], index: Index) -> Node:
    """Return the element of a list at an index."""
    return Node("entry", list(numbers), index)


def add_up(n: int, each: Node, keep: Index | None = None, more: Node | None = None) -> Node:
    """Return the sum of n terms `each`, over k, plus `more`.

    If a long sum is shortened, its term number `keep` is still shown.
    """
    return Node("sum", n, each, keep, more)


def largest(n: int, each: Node, more: Node | None = None) -> Node:
    """Return the largest of `more` and of `each` for k below n."""
    return Node("max", n, each, more)


def sentence(key: str, **places: Any) -> Sentence:
    """Return a sentence with its places filled by values, nodes or sentences."""
    return ["say", key.removeprefix("explanation."), places]


def text(*parts: Any) -> Parts:
    """Return a node that joins several parts of a text."""
    return ["text", *parts]


@dataclass(frozen=True)
class Piece:
    """The arithmetic and the wording of the cells that meet `where`.

    - `value`, `symbols`: the cell's expression, and how symbols write it.
    - `words`: sentences, of which the first whose places can all be filled is used.
    - `where`: conditions that must all hold: triples (index, from, to), where the index is at least `from` and less
      than `to`, and nodes, which must be positive.
    - `roundings`, `size`: as many roundings of numbers of this size may lie between the cell and its exact value.
      Without `size`, it's the sum of all addends' magnitudes.
    - `trouble`: which notes an unusual cell gets, see `explaining/unusual_cells.py`.
    - `line`, `undefined`: for shares, the sentences that name the line which they share, and say that it's undefined.
    - `share`: the share before a late mask; `sink`: the number beside the scores of each row.
    - `asides`: further sentences that are used if a cell isn't shown and its formula replaces it; None if it can't.
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
        """Return the piece in JSON form, without fields that are None."""
        where = [list(each.parts) if isinstance(each, Node) else [each[0].parts, *each[1:]] for each in self.where]
        own = {name: each.parts if isinstance(each, Node) else each for name, each in vars(self).items()}
        return {name: each for name, each in own.items() if each is not None} | {"where": where}
