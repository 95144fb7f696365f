"""What a set-up gives: each matrix's row says of it what its numbers show, and nobody else asks its name."""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import torch
from hypothesis import example, given

from attnviz import Scenario
from attnviz.core import stages
from attnviz.core.given import GIVEN
from attnviz.core.layers import placed
from attnviz.core.seeding import second_seed
from attnviz.explanation import before_edits
from tests.unit.helpers import every_way

SEED, OTHER = 98_765_432, 98_765_433


@given(every_way(seed=SEED))
@example(Scenario(d_out=3, n_layers=2, norm="pre", bias=True, d_ff=3, seed=SEED))
def test_numbers_are_said_to_be_from_the_seed_exactly_if_another_seed_makes_others(scenario: Scenario) -> None:
    """In each layer: a gain of a later one is 1, too, and a bias that nothing draws is 0."""
    plain, other = replace(scenario, edits=()), replace(scenario, edits=(), seed=OTHER)
    for name in plain.editable:
        for row, (own, of_other) in enumerate(zip(plain.matrix(name), other.matrix(name), strict=True)):
            told = before_edits(plain, name, row)
            says_so = any(str(seed) in told for seed in (SEED, second_seed(SEED)))
            assert says_so != torch.equal(own, of_other), (name, row, told)


@given(every_way())
def test_each_matrix_has_the_shape_of_its_row_and_stands_in_the_layers_it_says(scenario: Scenario) -> None:
    for name in scenario.editable:
        layer, own = placed(name)
        assert GIVEN[own].shape(scenario) == tuple(scenario.matrix(name).shape)
        assert GIVEN[own].is_vector == scenario.stage(name).is_vector
        assert not (layer and GIVEN[own].once)


# What compares a name with that of a given matrix, and what it's about; all else is asked of the matrix's row.
COMPARED = Counter({
    ("core/attention/trace.py", "name == 'x'"): 1,  # what goes into a stack
    ("core/layers.py", "own == 'x'"): 1,  # what one layer hands to the next ...
    ("core/layers.py", "name == 'x'"): 1,
    ("core/layers.py", "name == Y"): 1,  # ... and of the kept sentence
    ("core/carry_over.py", "name == 'w_v'"): 1,  # it alone says how wide others are
    ("core/scenario/matrices.py", "name == 'w_v'"): 1,
    ("core/scenario/derived.py", "self.token_matrix == 'e'"): 1,  # where the tokens' own vectors are
    ("core/seeding/vectors.py", "name == 'e'"): 1,
    ("core/stages/projecting.py", "kept != Y"): 1,  # which stages there are
    ("core/stages/tables.py", "name in (*OF_MEMORY, E_MEMORY_SCALED, JOINED, f'{Y}_norm')"): 1,
    ("explanation/numbers_from.py", "[placed(name)[1] for name in names] != ['w_v']"): 1,  # of published examples
    ("explanation/numbers_from.py", "edit.matrix in ('x', 'w_q', 'w_k')"): 1,
    ("explanation/origins.py", "name in BIASES"): 1,  # a message for developers
})  # fmt: skip
PACKAGE = Path(stages.__file__).parents[2]
CONSTANTS = {
    name: {value} if isinstance(value, str) else {*value}
    for name, value in vars(stages).items()
    if name.isupper() and isinstance(value, str | tuple) and name not in ("EDITABLE", "VECTORS")
}


def _named(node: ast.AST) -> bool:
    """Whether an expression is a given matrix's name, or names of these."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value in GIVEN
    if isinstance(node, ast.Name):
        return bool(CONSTANTS.get(node.id, {""}) & GIVEN.keys())
    return isinstance(node, ast.Starred | ast.Tuple | ast.List) and any(map(_named, ast.iter_child_nodes(node)))


def _comparisons(tree: ast.AST) -> Iterator[ast.Compare]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            (op, right), left = (node.ops[0], node.comparators[0]), node.left
            if _named(right) if isinstance(op, ast.In | ast.NotIn) else _named(left) or _named(right):
                yield node


def test_nobody_but_the_table_asks_which_given_matrix_it_is() -> None:
    files = [file for room in ("core", "explanation", "export", "board") for file in (PACKAGE / room).rglob("*.py")]
    assert _named(ast.parse("(*NORMS, MASK)", mode="eval").body)
    assert Counter(
        (file.relative_to(PACKAGE).as_posix(), ast.unparse(found))
        for file in files
        if file.name != "given.py"
        for found in _comparisons(ast.parse(file.read_text(encoding="utf-8")))
    ) == COMPARED  # fmt: skip
