"""Several heads: each as a computation of its own, and what is stacked of all of them."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import torch
from torch import Tensor

from attnviz.core.rules import Slice
from attnviz.core.stages import HEADS, Stage, Table, head_name


def n_heads_in(table: Table) -> int:
    """Return how many heads a table of stages has.

    >>> from attnviz.core.stages import STAGES, layer_table
    >>> n_heads_in(STAGES), n_heads_in(layer_table(6, n_heads=3, n_kv_heads=3, d_v=6))
    (1, 3)
    """
    return max(1, sum(name.endswith(".scores") for name in table))


def is_of_a_head(name: str) -> bool:
    """Whether a matrix is one head's alone, and so stands behind the path of that head."""
    return name.startswith(f"{HEADS}.")


def head_table(table: Table, head: int) -> Table:
    """Return the stages of one of several heads by the names of attention: its queries, keys and values are made from
    its own columns of W_q, W_k and W_v."""
    path = head_name(head, "")
    own = {name.removeprefix(path): stage for name, stage in table.items() if name.startswith(path)}
    stages: dict[str, Stage] = {}
    for name, stage in table.items():
        if is_of_a_head(name):
            break
        part = own.get(stage.part)
        if part is None:
            stages[name] = stage
        else:
            stages[name] = replace(
                stage, title=own[name].title if name in own else stage.title, head=head, first=part.first
            )
    for name, stage in own.items():
        if name not in stages:
            sources = tuple(source.removeprefix(path) for source in stage.sources)
            stages[name] = replace(stage, name=name, sources=sources)
    return MappingProxyType(stages)


def head_matrices(table: Table, matrices: Mapping[str, Tensor], head: int) -> dict[str, Tensor]:
    """Return the matrices of one of several heads by the names of :func:`head_table`: nothing is computed anew."""

    def of_head(name: str, stage: Stage) -> Tensor:
        own = head_name(head, name)
        if own in matrices:
            return matrices[own]
        if stage.head is None:
            return matrices[name]
        rule = table[head_name(head, stage.part)].rule
        assert isinstance(rule, Slice)
        return rule.compute(matrices[name])

    return {name: of_head(name, stage) for name, stage in head_table(table, head).items()}


def stacked(matrices: Mapping[str, Tensor], name: str, n_heads: int) -> Tensor:
    """Return one matrix of all heads as one tensor, ``(..., n_heads, n_tokens, n_tokens)`` for scores."""
    return torch.stack([matrices[head_name(head, name)] for head in range(n_heads)], dim=-3)


def gathered(table: Table, matrices: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return all matrices as the field writes them down: what each head has for itself is stacked, and what is only
    some columns of another is left out.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> made = trace(Scenario("a cat", n_heads=2))
    >>> {name: tuple(matrix.shape) for name, matrix in gathered(made.stages, made.matrices).items()}["scores"]
    (2, 2, 2)
    """
    n_heads, shown = n_heads_in(table), {}
    for name, matrix in matrices.items():
        own = name.split(".", 2)[-1]
        if not is_of_a_head(name):
            shown[name] = matrix
        elif own not in matrices and own not in shown:
            shown[own] = stacked(matrices, own, n_heads)
    return shown
