"""Several heads: each is a table of its own within the table, its names behind a path."""

from dataclasses import dataclass, replace
from typing import Literal

from attnviz.core.rules import Concatenate, Recut, Slice
from attnviz.core.rules.explaining.cell import OWN_ROWS
from attnviz.core.stages.attending import Attending
from attnviz.core.stages.names import OF_ALL, head_name
from attnviz.core.stages.stage import Stage, row
from attnviz.core.what_if import WhatIf
from attnviz.words import say

_PARTS: tuple[Literal["q", "k", "v"], ...] = ("q", "k", "v")


@dataclass(frozen=True)
class Heads:
    """How many heads there are, how many of keys and values, and how wide Q and the context are for all together.

    >>> Heads(4, 2, 8, 12).columns(3)
    {'q': (6, 8), 'k': (2, 4), 'v': (3, 6), 'context': (9, 12)}
    """

    n: int = 1
    n_kv: int = 1
    d_k: int = 1
    d_v: int = 1

    def columns(self, head: int) -> dict[str, tuple[int, int]]:
        """Return which columns of Q, K, V and the context belong to a head: from the first, up to the second."""
        shared = head * self.n_kv // self.n  # several heads of queries read the same keys and values
        places = {"q": (head, self.d_k), "k": (shared, self.d_k), "v": (shared, self.d_v), "context": (head, self.d_v)}
        return {name: (i * width // self.n, (i + 1) * width // self.n) for name, (i, width) in places.items()}

    def stages(self, how: Attending) -> tuple[Stage, ...]:
        """Return the stages from Q, K and V of all heads to the context vectors of all: what heads have in common, what
        each makes, and what puts that side by side."""
        if self.n == 1:
            return how.stages(self.d_k)
        shared = (stage for stage in how.stages(self.d_k) if stage.name in OF_ALL)
        each = (stage for head in range(self.n) for stage in self._head(head, how))
        contexts = tuple(head_name(head, "context") for head in range(self.n))
        together = row("context", "C", "query", "feature", "vectors", Concatenate(), contexts, part="v")
        return (*shared, *each, together)

    def _head(self, head: int, how: Attending) -> tuple[Stage, ...]:
        """Return the stages of one head, whose names are those of attention behind its path."""
        columns = self.columns(head)
        mixed = how.what_if.by_view  # then rows are of other tokens than their places say, no key a query's own
        cut = tuple(_cut(name, columns[name], self.n if name == "q" else self.n_kv, how.what_if) for name in _PARTS)
        attending = (
            replace(stage, sources=tuple(name if name in OF_ALL else head_name(head, name) for name in stage.sources))
            for stage in how.stages(self.d_k // self.n, head)
            if stage.name not in OF_ALL  # one for all heads
        )
        shared = {name: self.n // (self.n_kv if name in ("k", "v") else self.n) for name in columns}

        def named(stage: Stage) -> str:
            return stage.name.removesuffix("_rotated").removeprefix("phi_")

        return tuple(
            replace(
                stage, name=head_name(head, stage.name),
                title=say("stages.head.title", title=stage.title, head=head // shared.get(named(stage), 1)),
                head=head, shared_by=shared.get(named(stage), 1), owners=(self.n, head) if mixed else OWN_ROWS,
                own_from=None if mixed else stage.own_from,
                first=0 if mixed and stage.name != "context"
                else columns.get(named(stage), (0, 0))[0],
            )
            for stage in (*cut, *attending)
        )  # fmt: skip


def _cut(name: Literal["q", "k", "v"], columns: tuple[int, int], n: int, what_if: WhatIf) -> Stage:
    """Return what a head gets of Q, K or V, which n heads share out: its columns, or what one view alone makes."""
    symbol, rows = {"q": ("Q", "query"), "k": ("K", "key"), "v": ("V", "token")}[name]
    if what_if.by_view:
        at = columns[0] // (columns[1] - columns[0])
        return row(name, f"{symbol}″", rows, "feature", "vectors", Recut(n, at), (name,), part=name,
                   told=f"{name}_recut")  # fmt: skip
    return row(name, symbol, rows, "feature", "vectors", Slice(*columns), (name,), part=name)
