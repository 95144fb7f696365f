"""A registry of kinds of one sort: looked up by name in one way, so that an unknown one is never passed over."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from attnviz.core.errors import RefusedError


class Named(Protocol):
    """What a registry holds: an object that knows its name."""

    @property
    def name(self) -> str: ...


Kind = TypeVar("Kind", bound=Named)


class Kinds(Mapping[str, Kind], Generic[Kind]):
    """Kinds by their names, in the order in which they are offered; `setting` is what chooses among them.

    >>> from attnviz.core.masks import MASKS
    >>> MASKS["causal"].name
    'causal'
    >>> MASKS["diagonal"]  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    attnviz.core.errors.RefusedError: 'diagonal' can't be masking. Take one of these: none, causal, window, ...
    """

    def __init__(self, setting: str, kinds: Iterable[Kind]) -> None:
        self.setting = setting
        self._kinds = {kind.name: kind for kind in kinds}

    def __getitem__(self, name: str) -> Kind:
        """Return the kind of a name, or raise ``ValueError`` that lists the names there are."""
        if not isinstance(name, str) or name not in self._kinds:
            raise RefusedError("choice", name=self.setting, value=name, allowed=tuple(self._kinds))
        return self._kinds[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._kinds

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def where(self, holds: str) -> tuple[str, ...]:
        """Return the names of the kinds of which this attribute is true.

        >>> from attnviz.core.masks import MASKS
        >>> MASKS.where("sized")
        ('window', 'padding')
        """
        return tuple(name for name, kind in self._kinds.items() if getattr(kind, holds))
