"""A trace: every intermediate of a computation, made by a table."""

from collections.abc import Iterable, Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np
from torch import Tensor

from attnviz.core.limits import in_short
from attnviz.core.stages import Table
from attnviz.words import Later


def run(stages: Table, given: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Execute a table: return all matrices, given and computed, in order.

    Raises ``KeyError`` if a given matrix is missing.
    """
    matrices: dict[str, Tensor] = {}
    matrix_of = matrices.__getitem__
    for name, stage in stages.items():
        kernel = stage.kernel
        matrices[name] = given[name] if kernel is None else kernel(*map(matrix_of, stage.sources))
    return matrices


_MOST_NAMED = 16  # matrices in a message


def _some(names: list[str]) -> str:
    """Write some names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


class Trace:
    """Every intermediate of a computation, by name, with its table of stages.

    `trace["q"]` and `trace.q` are the same tensor, `trace.stages["q"]` says how it's computed, and `trace.matrices` has
    all of them, in the order of the computation. For a matrix that the table doesn't have, `get` returns None. `tokens`
    are the texts of the rows, or empty. `notices` are messages to the reader, such as about a missing device; `notes`
    are the same, put into words only when they're read. `chances` say for each layer whether random numbers decide who
    reads whom: "all", "some" or ""; it's empty if that isn't known. The tensors are shared, not copied: treat them as
    read-only.
    """

    stages: Table
    matrices: Mapping[str, Tensor]
    tokens: tuple[str, ...]
    notes: tuple[Later | str, ...]
    chances: tuple[str, ...]

    def __init__(
        self,
        stages: Table,
        matrices: Mapping[str, Tensor],
        tokens: Iterable[str] = (),
        notices: Iterable[Later | str] = (),
        chances: Iterable[str] = (),
    ) -> None:
        self.__dict__.update(matrices)
        self.__dict__.update(stages=stages, matrices=matrices, tokens=tuple(tokens), notes=tuple(notices),
                             chances=tuple(chances))  # fmt: skip

    def __getitem__(self, name: str) -> Tensor:
        if name not in self.matrices:
            raise self.no_matrix(name)
        return self.matrices[name]

    def __getattr__(self, name: str) -> Any:
        if "matrices" not in self.__dict__:  # while it's unpickled
            raise AttributeError(name)
        raise AttributeError(str(self.no_matrix(name)))

    def __repr__(self) -> str:
        """Return a summary, because all numbers would fill pages."""
        shapes = [f"{name} {tuple(matrix.shape)}" for name, matrix in self.matrices.items()]
        tokens = in_short(self.tokens) if self.tokens else "tokens without names"
        return f"<{type(self).__name__} of {tokens}: {_some(shapes)}>"

    # The code that shows a trace imports this module, so it's imported only when a notebook needs it.
    def _repr_html_(self) -> str:
        return resolve_name("attnviz.documents:trace_markup")(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return resolve_name("attnviz.documents:shown_in_notebook")(self)

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages to the reader, such as about a missing device."""
        return tuple(map(str, self.notes))

    @property
    def chance(self) -> str:
        """Whether random numbers decide who reads whom: "all", "some" or ""."""
        return self.chances[0] if self.chances else ""

    def no_matrix(self, name: object) -> ValueError:
        """Return the error for an unknown matrix, listing the ones there are."""
        own = [each for each in self.matrices if each.rpartition(".")[2] == name]
        message = f"{in_short(name)} is no matrix of this trace, expected one of {_some(list(self.matrices))}"
        if own:
            message = f"{in_short(name)} is another matrix in each head or layer, expected one of {_some(own)}"
        return ValueError(message)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a trace cannot be changed: {name} was to be set")

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"stages": dict(self.stages), "matrices": dict(self.matrices)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"stages": MappingProxyType(state["stages"])})

    def get(self, name: str) -> Tensor | None:
        """Return a matrix by name, or None."""
        return self.matrices.get(name)

    def masked_in(self, name: str) -> np.ndarray | None:
        """Return a matrix's masked cells ``(rows, columns)``, or None without a mask.

        Raises ``ValueError`` for a matrix that isn't there.
        """
        if not isinstance(name, str) or name not in self.stages:
            raise self.no_matrix(name)
        stage = self.stages[name]
        scores = stage.sources if stage.makes_shares else filter(None, [stage.hidden_with])
        masks = (other for other in self.stages.values() if other.masked_by == name)
        makers = [stage, *masks, *map(self.stages.__getitem__, scores)]
        by = next((maker.masked_by for maker in makers if maker.masked_by is not None), None)
        return None if by is None else self.matrices[by].detach().cpu().numpy() == -np.inf
