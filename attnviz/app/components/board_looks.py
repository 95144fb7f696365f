"""How a board looks: which matrices it shows, and what stands around them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attnviz.core.what_if import CONCERNED
from attnviz.link.page_texts import Place


@dataclass(frozen=True)
class Looks:
    """The matrices of these `names`, or all, with the sources of one cell `lit` and the `new` ones marked.

    With `sentence`, the tokens stand over it, to be picked, and it `says` what the picked one reads most and shows it
    by `ribbons`, for which None leaves no room; `about` is said of the numbers, where it isn't what is said of those
    of the set-up. `scaled` scores stand where scores do; `ghosts` are matrices that have their place already. What a
    step of the lesson `tells` stands beside what is reached last; `play` is the part of Play this row that it begins
    with.

    Of the matrix of the cell `only`, no other cell is filled. With `framed`, learned matrices have a solid frame and
    computed ones a dashed one; `notes`, the sizes in symbols, stand beside titles. Where the panel `what_if` stands on
    the page, cells of what it changes lead to it.
    """

    names: tuple[str, ...] | None = None
    lit: Place | None = None
    only: Place | None = None
    new: tuple[str, ...] = ()
    framed: bool = False
    sentence: bool = False
    says: bool = True
    ribbons: bool | None = True
    about: str | None = None
    scaled: bool = False
    ghosts: tuple[str, ...] = ()
    tells: Mapping[str, Any] | None = None
    play: Mapping[str, Any] | None = None
    notes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    what_if: bool = False

    def sent(self) -> dict[str, Any]:
        """Return what the page is sent of it, whatever the numbers are."""
        return {
            "lit": as_place(self.lit),
            "only": as_place(self.only),
            "fresh": self.new,
            "framed": self.framed,
            "sentence": self.sentence,
            "says": self.says,
            "ribbons": self.ribbons,
            "scaled": self.scaled,
            "ghosts": self.ghosts,
            "tells": self.tells,
            "play": self.play,
            "notes": self.notes,
            "whatIf": sorted(CONCERNED) if self.what_if else [],
        }


OF_PLAYGROUND = Looks(sentence=True, what_if=True)


def as_place(cell: Place | None) -> dict[str, Any] | None:
    """Return a cell as the page takes it."""
    return cell and dict(zip(("matrix", "row", "column"), cell, strict=True))
