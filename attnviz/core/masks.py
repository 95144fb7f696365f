"""Masks, in which -∞ hides a key: their kinds and uses."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from attnviz.core.limits import MAX_TOKENS, Kinds, RefusedError, check_whole
from attnviz.core.seeding import FLOAT32_ON_CPU
from attnviz.words import say

Hides = Callable[[Any, Any, int], Any]
_FULL, _ZEROS = 'mask = torch.full(({shape}), float("-inf"))', "mask = torch.zeros({shape})"


class Why(NamedTuple):
    """The reason why cells are hidden: a sentence's key, and a size."""

    key: str
    n: int = 0


@dataclass(frozen=True)
class MaskKind:
    """A kind of mask that a set-up draws.

    - `name`: its name in set-ups, links and exported code; its texts in `setup.toml` and `explanation.toml` have it in
      their keys.
    - `hides`: says which keys are hidden, given how far a key stands before its query, how many keys come after it, and
      the size.
    - `whys`: the reasons for hiding, each with a function that says which cells it hides.
    - `code`: lines of PyTorch that draw the same mask, with places for the shape, the size and the kept tokens.
    - `sized`: whether it has a size, counted in tokens.
    - `by_places`: whether it compares the positions of queries and keys, which must then be of one sentence.
    - `of_all`: whether it also applies to a kept sentence while that reads itself.
    - `comment`: the key of the comment that an exported script has on it.
    """

    name: str
    hides: Hides
    code: tuple[str, ...] = (_ZEROS,)
    whys: tuple[tuple[str, Hides], ...] = ()
    sized: bool = False
    by_places: bool = True
    of_all: bool = True
    comment: str = ""

    @property
    def words(self) -> str:
        """The mask's name as it appears in keys of the catalogue."""
        return self.name.replace("-", "_")

    def hidden(self, n_queries: int, n_keys: int, size: int = 0, n_memory: int = 0) -> np.ndarray:
        """Return which keys it hides from which queries, ``(n_queries, n_keys)`` of bool.

        The first `n_memory` keys stand before the first query's own.
        """
        return _cells(self.hides, (n_queries, n_keys), size, n_memory)

    def drawn(self, n_queries: int, n_keys: int, size: int = 0, n_memory: int = 0) -> Tensor:
        """Return the mask as float32 on the CPU: -∞ hides a key."""
        hidden = torch.from_numpy(self.hidden(n_queries, n_keys, size, n_memory))
        return torch.zeros(hidden.shape, **FLOAT32_ON_CPU).masked_fill(hidden, -math.inf)

    def lines(self, size: int, shape: str, n_memory: int) -> list[str]:
        """Return the lines of PyTorch that draw the mask."""
        places = {"size": size, "kept": n_memory, "after": n_memory + 1, "before": n_memory - size}
        *rest, last = (line.format(shape=shape, **places) for line in self.code)
        return [*rest, f"{last}  # {say(self.comment, size=size)}" if self.comment else last]

    def size_of(self, hidden: np.ndarray, n_memory: int = 0) -> int | None:
        """Return the size that hides exactly these cells, or None.

        It's 0 for a kind without a size.

        >>> MASKS["padding"].size_of(np.array([[False, True]] * 2)), MASKS["causal"].size_of(np.ones((2, 2), bool))
        (1, None)
        """
        last, shape = hidden.shape[0] - 1, (1, hidden.shape[1])
        for size in range(1, shape[1] + 1) if self.sized else (0,):
            as_last = (_cells(self.hides, shape, size, n_memory + last) == hidden[last]).all()
            if as_last and (_cells(self.hides, (last + 1, shape[1]), size, n_memory) == hidden).all():
                return size
        return None

    def reasons(self, shape: tuple[int, int], size: int, n_memory: int) -> list[tuple[Why, np.ndarray]]:
        """Return the reasons why the mask hides cells, each with its cells."""
        n = size if self.sized else 0
        return [(Why(key, n), _cells(hides, shape, size, n_memory)) for key, hides in self.whys]


def _cells(hides: Hides, shape: tuple[int, int], size: int, n_memory: int) -> np.ndarray:
    keys = np.arange(shape[1])
    hidden = hides(np.arange(shape[0])[:, None] + n_memory - keys, shape[1] - 1 - keys, size)
    return np.array(np.broadcast_to(hidden, shape))


def _later(before: Any, after: Any, size: int) -> Any:
    return before < 0


def _itself(before: Any, after: Any, size: int) -> Any:
    return before == 0


def _last(before: Any, after: Any, size: int) -> Any:
    return after < size


def _nothing(before: Any, after: Any, size: int) -> Any:
    return False


# To add a kind of mask, add a row here, and its texts for the set-up and for explanations. For the window, see Jiang et
# al. 2023, Mistral 7B, section 2, and Beltagy et al. 2020, Longformer, section 3.1.
MASKS: Kinds[MaskKind] = Kinds("masking", (
    MaskKind("none", _nothing, by_places=False),
    MaskKind("causal", _later, (_FULL + ".triu({after})",), (("later", _later),),
             comment="share.script.mask.later"),
    MaskKind("window", lambda before, after, size: (before < 0) | (before >= size),
             (_FULL, "mask = mask.triu({after}) + mask.tril({before})"),
             (("later", _later), ("window", lambda before, after, size: before >= size)), sized=True,
             comment="share.script.mask.window"),
    MaskKind("padding", _last, (_ZEROS, 'mask[:, -{size}:] = float("-inf")'),
             (("nobody", _last),), sized=True, by_places=False, of_all=False, comment="share.script.mask.padding"),
    MaskKind("not-self", _itself, (_ZEROS, 'mask.diagonal({kept}).fill_(float("-inf"))'),
             (("itself", _itself),), comment="share.script.mask.itself"),
    MaskKind("painted", _nothing, by_places=False, of_all=False),
))  # fmt: skip
NONE, CAUSAL, PAINTED = "none", "causal", "painted"
MASKINGS = tuple(name for name in MASKS if name != CAUSAL)  # the causal mask has a switch of its own


@dataclass(frozen=True)
class MaskUse:
    """How attention applies a mask, or how a common mistake does.

    - `late`: whether the mask comes after the softmax; `shared`: whether each row is then divided by its sum again.
    - `times_scores`: whether the mask multiplies scores instead of being added to them.
    - `told`: the suffix of the key of the mask's texts in the catalogue.
    """

    name: str
    told: str = ""
    late: bool = False
    shared: bool = False
    times_scores: bool = False

    @property
    def usual(self) -> bool:
        """Whether attention itself applies masks in this way."""
        return not (self.late or self.times_scores)

    @property
    def lossy(self) -> bool:
        """Whether rows of attention weights no longer sum to 1."""
        return self.late and not self.shared


USES: Kinds[MaskUse] = Kinds("mask_use", (
    MaskUse("added"),  # the mask is added to scaled scores, before the softmax, as in attention
    # A hidden score is multiplied by 0 instead of getting −∞, so it is read like any other score of 0.
    MaskUse("factor", "_factor", times_scores=True),
    MaskUse("zeroed", "_late", late=True),  # hidden attention weights become 0 after the softmax
    MaskUse("renormalized", "_late", late=True, shared=True),  # the same, and each row is then divided by its sum
))  # fmt: skip
ADDED, FACTOR, ZEROED, SHARED = USES


@dataclass(frozen=True)
class Masked:
    """A table's mask: its kind (None for plain numbers), size and use."""

    kind: MaskKind | None = None
    size: int = 0
    use: MaskUse = USES[ADDED]

    @classmethod
    def like(cls, hidden: np.ndarray) -> "Masked | None":
        """Return the mask that hides exactly these cells, or None.

        If there are more keys than queries, the first keys are those of a kept sentence.

        >>> Masked.like(np.triu(np.ones((3, 3), dtype=bool), 1)).kind.name, Masked.like(np.zeros((3, 3), dtype=bool))
        ('causal', None)
        """
        n_memory = max(0, hidden.shape[1] - hidden.shape[0])
        sizes = ((kind, kind.size_of(hidden, n_memory)) for kind in MASKS.values() if kind.whys)
        return next((cls(kind, size) for kind, size in sizes if size is not None), None) if hidden.any() else None

    def hidden(self, n_queries: int, n_keys: int) -> np.ndarray:
        """Return which keys are hidden from which queries; kept keys come first."""
        assert self.kind is not None
        return self.kind.hidden(n_queries, n_keys, self.size, max(0, n_keys - n_queries))

    def reasons(self, hidden: np.ndarray, first_own_key: int | None) -> list[tuple[Why, bool, np.ndarray]]:
        """Return the reasons for hidden cells, each with the cells it explains.

        They are ``(reason, whether it compares positions, cells)``. Keys that no token may read come first. For a mask
        that is given or painted, the others are the reasons of each kind of mask that has no size, or that with some
        size hides exactly these cells. `first_own_key` is the first query's own key; if it's None, queries and keys are
        of different sentences, and reasons that compare positions are left out.
        """
        nobody = np.array(np.broadcast_to(hidden.all(0), hidden.shape))
        all_reasons, n_memory = [(Why("nobody"), False, nobody)], first_own_key or 0
        for kind in (self.kind,) if self.kind is not None and self.kind.whys else MASKS.values():
            size = self.size if kind is self.kind else kind.size_of(hidden, n_memory) if kind.whys and kind.sized else 0
            if size is not None and not (first_own_key is None and kind.by_places):
                reasons = kind.reasons((hidden.shape[0], hidden.shape[1]), size, n_memory)
                all_reasons += [(why, kind.by_places, cells) for why, cells in reasons]
        return [each for each in all_reasons if each[-1].any()]

    def why(self, hidden: np.ndarray, row: int, column: int, first_own_key: int | None = 0) -> Why:
        """Return why a cell is hidden; `hidden` marks the cells with -∞.

        >>> causal = np.triu(np.ones((3, 3), dtype=bool), 1)
        >>> Masked().why(causal, 0, 2).key, Masked().why(causal | np.eye(3, dtype=bool), 1, 1).key
        ('later', 'itself')
        >>> Masked().why(causal, 0, 2, None).key, Masked(MASKS["window"], 2).why(~np.eye(3, dtype=bool), 2, 0)
        ('painted', Why(key='window', n=2))
        """
        reasons = self.reasons(hidden, first_own_key)
        return next((why for why, _, cells in reasons if cells[row, column] and hidden[cells].all()), Why(PAINTED))


def mask_named(given: str) -> tuple[str, int | None]:
    """Return the kind and size in a text such as "window:3".

    Raises ``ValueError`` for any other text.

    >>> mask_named("window:3"), mask_named("causal")
    (('window', 3), ('causal', None))
    """
    name, colon, size = given.partition(":")
    sized = name in MASKS and MASKS[name].sized
    if sized and size.isascii() and size.isdigit() and len(size) < 9:
        return name, check_whole("mask_size", int(size), 1, MAX_TOKENS)
    if colon or sized or name not in MASKS:
        forms = tuple(f"{each}:N" if MASKS[each].sized else each for each in MASKS)
        raise RefusedError("mask", value=given, allowed=forms)
    return name, None


def dropout_mask(kept: Tensor, p: float) -> Tensor:
    """Return a mask whose exponentials are dropout's factors, 0 and 1/(1-p).

    Source: Srivastava et al. 2014, Dropout; torch.nn.Dropout divides while it trains.
    """
    return torch.where(kept, -math.log1p(-p), -math.inf)


def dropped_by(mask: Tensor) -> float | None:
    """Return the p of a mask that is a dropout, else None.

    >>> dropped_by(dropout_mask(torch.tensor([[True, False]]), 0.5)), dropped_by(torch.zeros(2, 2))
    (0.5, None)
    """
    raised = mask[mask != -math.inf]
    if not raised.numel() or not 0 < float(raised[0]) < math.inf or not bool((raised == raised[0]).all()):
        return None
    return round(-math.expm1(-float(raised[0])), 6)  # float32 holds no more digits of p
