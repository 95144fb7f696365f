"""Whether random numbers decide who reads whom in a scenario."""

from collections.abc import Collection

from attnviz.core.layers import named, placed
from attnviz.core.matrix_input import RANDOM_FILL
from attnviz.core.scenario.matrices import Matrices
from attnviz.core.stages import BY_DISTANCE, LAYERS, OUTPUT

ALL, SOME, NONE = "all", "some", ""
_ORDER = (NONE, SOME, ALL)
_DECIDE = ("w_q", "w_k", "b_q", "b_k")  # they decide which tokens are read in their own layer
_MAKE_NEXT = ("w_v", "b_v", *OUTPUT, *LAYERS)  # the next layer's input is computed from them


def chances_of(scenario: Matrices) -> tuple[str, ...]:
    """Return, for each layer, whether random numbers decide who reads whom.

    It's "all" if the W's or all vectors that are read are random, "some" if only a part of the vectors or the biases
    are, else "". Earlier layers count, too, because they make what a layer reads.
    """
    read = (scenario.token_matrix, *[scenario.read_matrix] * scenario.reads_others)
    drawn = [random for name in read for random in random_rows(scenario, name)]
    by_place = _places_are_random(scenario)
    chance = ALL if all(drawn) else SOME if any(drawn) or by_place else NONE
    by_layer = []
    for layer in range(scenario.n_layers):
        own = 0 if scenario.same_layers else layer  # the layer whose matrices it uses
        w_q, w_k = (named(own, name) for name in ("w_q", "w_k"))
        chance = max(chance, _of_drawn(scenario, own, _DECIDE), key=_ORDER.index)
        by_layer.append(chance if _compares(scenario, w_q, w_k) else SOME if by_place else NONE)
        chance = max(chance, _of_drawn(scenario, own, _MAKE_NEXT), key=_ORDER.index)
    return tuple(by_layer)


def _of_drawn(scenario: Matrices, layer: int, names: Collection[str]) -> str:
    """Return "all" if a layer has drawn W's, "some" if only biases."""
    own = [name for name in scenario.editable if placed(name)[0] == layer and placed(name)[1] in names]
    drawn = [placed(name)[1] for name in own if is_drawn(scenario, name) and scenario.unedited(name).any()]
    return ALL if any(name.startswith("w_") for name in drawn) else SOME if drawn else NONE


def _compares(scenario: Matrices, w_q: str, w_k: str) -> bool:
    """Whether scores depend on tokens: not if W_q or W_k is zero."""
    if scenario.bias or scenario.what_if:
        return True
    return not any(scenario.replacement(name) == "zeros" and not scenario.matrix(name).any() for name in (w_q, w_k))


def is_drawn(scenario: Matrices, name: str) -> bool:
    """Whether a matrix was drawn, and not all its cells were edited."""
    rows, columns = scenario.shape_of(name)
    given = scenario.replacement(name)
    random = given is None or (isinstance(given, str) and given.startswith(RANDOM_FILL))
    return random and sum(edit.matrix == name for edit in scenario.edits) < rows * columns


def random_rows(scenario: Matrices, name: str) -> list[bool]:
    """Return which rows of X, E or Y are random.

    A row isn't random if the reader typed all of its numbers.
    """
    rows, columns = scenario.shape_of(name)
    given = scenario.replacement(name)
    filled = isinstance(given, str) and given.startswith(RANDOM_FILL)
    beside = scenario.rows_beside_example if name == scenario.token_matrix else ()
    typed = [edit.row for edit in scenario.edits if edit.matrix == name]
    drawn = not scenario.made_by.by_class
    return [
        (filled or (drawn and (given is None or row in beside) and not scenario.is_published(row, name)))
        and typed.count(row) < columns
        for row in range(rows)
    ]


def _places_are_random(scenario: Matrices) -> bool:
    position = scenario.position
    if position.own_seed is None:
        return False
    return scenario.replacement("p" if position.adds else BY_DISTANCE) is None
