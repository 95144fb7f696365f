"""Where a given number is from: published, drawn from a seed, replaced or edited."""

from attnviz.explanation.sources import Factor
from attnviz.given import EXAMPLE_FILL, RANDOM_FILL
from attnviz.numbers import written
from attnviz.published import chosen_matrices
from attnviz.scenario import Scenario
from attnviz.stages import BIASES
from attnviz.tokens import visible

DRAWN_BY = {"uniform": "torch.rand", "normal": "torch.randn", "linear": "nn.Linear"}


def origin(scenario: Scenario | None, given: Factor, shape: tuple[int, int], digits: int) -> str:
    """Say where the number of a given cell, of a matrix of this shape, is from.

    Raises ``ValueError`` for a scenario that has another number there.

    >>> x = Factor("x", 1, 2, 0.66)
    >>> origin(None, x, (6, 3), 4)
    'Given: an input, made from nothing else here'
    """
    if scenario is None:
        return "Given: an input, made from nothing else here"
    name, row, column, value = given
    if name in BIASES and not scenario.bias:
        raise ValueError(f"{name} is in the trace, but bias is False in the scenario")
    if scenario.shape_of(name) != shape:
        raise ValueError(f"{name} has shape {shape} in the trace and {scenario.shape_of(name)} in the scenario")
    own = scenario.matrix(name)[row, column].item()
    if own != value:
        raise ValueError(f"{name}[{row}, {column}] is {value} in the trace and {own} in the scenario")
    if any(edit[:3] == (name, row, column) for edit in scenario.edits):
        before = written(scenario.unedited(name)[row, column].item(), digits)
        return f"Given: edited, in place of {before}, {before_edits(scenario, name, row)}"
    return f"Given: {before_edits(scenario, name, row)}"


def before_edits(scenario: Scenario, name: str, row: int) -> str:
    """Say where the numbers in a row of a given matrix are from, apart from its edits.

    >>> before_edits(Scenario(seed=5), "w_q", 0)
    'drawn by torch.rand from seed 5'
    """
    replaced = getattr(scenario, name)
    if isinstance(replaced, tuple):
        return "given as a number, in place of a drawn one"
    if replaced == "identity":
        return "of the identity matrix, 1 on the diagonal and 0 elsewhere"
    if replaced == "zeros":
        return "of a matrix of zeros"
    if replaced is not None and replaced.startswith(EXAMPLE_FILL):
        example = replaced.removeprefix(EXAMPLE_FILL)
        chosen = name in chosen_matrices(example)
        return f"{'chosen for the scores of' if chosen else 'stated by'} the worked example {example}"
    if replaced is not None:
        return f"drawn for this matrix alone, from seed {replaced.removeprefix(RANDOM_FILL)}"
    if name == "x":
        token = visible(scenario.tokens[row])
        if scenario.is_published(row):
            return f"from the published vector of '{token}'"
        if scenario.embedding == "table":
            return f"from the row of '{token}' in nn.Embedding, drawn from seed {scenario.seed}"
        return f"from the vector of '{token}', drawn from its text, d_in = {scenario.d_in} and seed {scenario.seed}"
    drawn_width = scenario.drawn_d_v if name == "b_v" else scenario.d_out
    # A bias as wide as a W_v of its own width has no drawn numbers either.
    if name in BIASES and (scenario.init != "linear" or scenario.shape_of(name)[1] != drawn_width):
        return "a bias that starts at 0"
    return f"drawn by {DRAWN_BY[scenario.init]} from seed {scenario.seed}"
