"""A matrix as it was made: what one layer makes is what the next one gets."""

from dataclasses import dataclass

from torch import Tensor

from attnviz.core.rules.base import Copying
from attnviz.core.rules.expression import I, J, Piece, sentence, sources
from attnviz.core.rules.reading import Shape


@dataclass(frozen=True)
class PassOn(Copying):
    """The same numbers under another name.

    >>> PassOn().reads(0, 1, (3, 6))
    ((range(0, 1), range(1, 2)),)
    """

    name = "pass_on"

    def compute(self, *sources: Tensor) -> Tensor:
        """The source itself."""
        return sources[0]

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        """The cell at the same place."""
        (x,) = sources(1)
        return (Piece(x[I, J], (x.name(),), (sentence("explanation.pass_on.words", title=x.title),)),)

    def formula(self, *symbols: str) -> str:
        """The symbol of the source."""
        return symbols[0]

    def code(self, made: str, *names: str) -> list[str]:
        """An assignment."""
        return [f"{made} = {names[0]}"]
