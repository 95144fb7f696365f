"""Several heads: each as a computation of its own, or all stacked."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType

import torch
from torch import Tensor

from attnviz.core.given import TO_HEADS
from attnviz.core.layers import in_layer, is_stack, named, of_layer, placed
from attnviz.core.rules import turns_second
from attnviz.core.rules.stage import OWN_ROWS
from attnviz.core.stages import HEADS, Stage, Table, Texts, head_name
from attnviz.words import later


def without_head(name: str) -> str:
    """Return the name of a matrix without the path of a head.

    >>> without_head("layers.1.heads.0.q"), without_head("x")
    ('layers.1.q', 'x')
    """
    before, _, rest = name.rpartition(f"{HEADS}.")
    return before + rest.partition(".")[2] if f"{HEADS}." in name else name


def n_heads_in(table: Table) -> int:
    """Return how many heads each layer of a table has.

    >>> from attnviz.core.stages import STAGES, layer_table
    >>> n_heads_in(STAGES), n_heads_in(layer_table(6, n_heads=3, n_kv_heads=3, d_v=6))
    (1, 3)
    """
    return max(1, sum(without_head(name) in ("scores", in_layer(0, "scores")) for name in table))


def is_of_a_head(name: str) -> bool:
    """Whether a name is that of one head's matrix."""
    return name.startswith(f"{HEADS}.")


def is_elsewhere(name: str) -> bool:
    """Whether a matrix belongs to a head or layer out of view."""
    return "." in name


CONTEXTS = "contexts"  # all heads' contexts side by side, while `context` is that of the head in view


def in_view(names: Iterable[str]) -> tuple[str, ...]:
    """Return the matrices that are seen with one head of one layer.

    >>> in_view(["w_q", "scores", "heads.1.scores", "contexts", "layers.0.output"])
    ('w_q', 'scores', 'contexts')
    """
    return tuple(name for name in names if not is_elsewhere(name))


def head_in_view(table: Table) -> int | None:
    """Return the head whose matrices have plain names; None if there's one."""
    return table["scores"].head if "scores" in table and n_heads_in(table) > 1 else None


def of_whole(table: Table, name: str, row: int, column: int) -> tuple[str, int, int]:
    """Return the cell of the whole matrix that a head's cell shows.

    For example, a head's W_q consists of some columns of the whole W_q.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> seen = trace(Scenario("a cat", n_heads=2, d_out=4)).for_head(1)
    >>> of_whole(seen.stages, "w_q", 0, 1), of_whole(seen.stages, "scores", 0, 1)
    (('w_q', 0, 3), ('scores', 0, 1))
    """
    stage = table[name]
    return whole_name(stage), row, column + stage.first


def whole_name(stage: Stage) -> str:
    """Return the name that edits use for a stage's whole matrix."""
    return named(stage.layer, stage.name.rpartition(".")[2])


def as_seen(
    table: Table, matrices: Mapping[str, Tensor], name: str, row: int, column: int
) -> tuple[str, int, int] | None:
    """Return where the head in view shows the whole's cell, or None."""
    layer, name = placed(name)
    for each, stage in table.items():
        own = column - stage.first
        is_it = each == name or (stage.rule is None and each.rpartition(".")[2] == name)
        if is_it and stage.layer == layer and 0 <= own < matrices[each].shape[-1]:
            return each, row, own
    return None


def head_table(table: Table, head: int) -> Table:
    """Return one head's stages under plain names, with its own columns."""
    own = _of_head(table, head)
    uncut = {part for part in ("q", "k", "v") if part in own and _is_uncut(table[part], own[part])}
    before = takewhile(lambda stage: not is_of_a_head(stage.name), table.values())
    stages = dict(_alone(stage, own, head, stage.part in uncut) for stage in before)
    path = head_name(head, "")
    shared = {name: stages.pop(name) for name in TO_HEADS if name in stages}  # each comes before its first reader
    for name, stage in own.items():
        stages |= {each: shared[each] for each in stage.sources if each in shared and each not in stages}
        if name not in stages:
            sources = (f"{name}{UNCUT}",) if name in uncut else tuple(each.removeprefix(path) for each in stage.sources)
            stages[name] = replace(stage, name=name, sources=sources)
    return MappingProxyType(stages)


UNCUT = "_uncut"  # suffix of all heads' Q, K or V, if a head's part isn't simply some of its columns


OF_HEADS = "_of_heads"  # suffix of Q, K or V for all heads' parts, where a view cuts them out of it


def _of_head(table: Table, head: int) -> Table:
    """Return one head's stages, by their names without its path."""
    path = head_name(head, "")
    return {name.removeprefix(path): stage for name, stage in table.items() if name.startswith(path)}


def _is_uncut(whole: Stage, cut: Stage) -> bool:
    """Whether a head's Q, K or V doesn't come from W's columns."""
    return any((cut.rule and cut.rule.cuts_rows, turns_second(whole.rule)))


def _alone(stage: Stage, own: Table, head: int, uncut: bool) -> tuple[str, Stage]:
    """Return a shared stage for one head: its columns, or the whole."""
    part = own.get(stage.part)
    if part is None or uncut:
        if part is None or stage.name not in own:
            return stage.name, stage
        name, title = f"{stage.name}{UNCUT}", later("stages.uncut.title", title=stage.texts.title)
        return name, replace(stage.with_texts(title=title), name=name)
    named = (
        stage.with_texts(title=own[stage.name].texts.title)
        if stage.name in own
        else stage.numbered("head", part.number)
    )
    return stage.name, replace(named, head=head, shared_by=part.shared_by, first=part.first)


def head_matrices(table: Table, matrices: Mapping[str, Tensor], head: int) -> dict[str, Tensor]:
    """Return one head's matrices by the names of :func:`head_table`; nothing is computed."""

    def of_head(name: str, stage: Stage) -> Tensor:
        own = head_name(head, name)
        if own in matrices:
            return matrices[own]
        if name.endswith(UNCUT):
            return matrices[name.removesuffix(UNCUT)]
        if stage.head is None:
            return matrices[name]
        rule = table[head_name(head, stage.part)].rule
        assert rule is not None
        return rule.compute(matrices[name])

    return {name: of_head(name, stage) for name, stage in head_table(table, head).items()}


def for_head(table: Table, matrices: Mapping[str, Tensor], head: int) -> tuple[Table, dict[str, Tensor]]:
    """Return the whole computation as seen from one head, and its matrices.

    That head's stages have plain names; those of the others keep their paths, each with its own columns of W_q, W_k and
    W_v. The stage `contexts` joins all heads' contexts, and the later stages follow. So a page that shows one head can
    compute all of them, and everything that follows.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> made = trace(Scenario("a cat", n_heads=2, output=True))
    >>> table, _ = for_head(made.stages, made.matrices, 1)
    >>> table["contexts"].sources, table["output"].sources, table["heads.0.scores"].sources
    (('heads.0.context', 'context'), ('contexts', 'w_o', 'b_o'), ('heads.0.q', 'heads.0.k'))
    """
    stages, seen = dict(head_table(table, head)), head_matrices(table, matrices, head)
    shared = {(name, stage.first): name for name, stage in stages.items() if _may_be_shared(stage)}
    for other in range(n_heads_in(table)):
        if other != head:
            _add(stages, seen, head_table(table, other), head_matrices(table, matrices, other), other, shared)
    path = head_name(head, "")
    for name in list(table)[list(table).index("context") :]:
        called, stage = CONTEXTS if name == "context" else name, table[name]
        sources = tuple(CONTEXTS if each == "context" else each.removeprefix(path) for each in stage.sources)
        texts = Texts.of(f"stages.{CONTEXTS}") if called == CONTEXTS else stage.texts
        stages[called], seen[called] = replace(stage, name=called, sources=sources, texts=texts), matrices[name]
    return MappingProxyType(stages), seen


def _may_be_shared(stage: Stage) -> bool:
    """Whether heads may share a stage: keys, values and their sources."""
    return stage.owners == OWN_ROWS and stage.part in ("k", "v") and stage.name != "context"


def _add(
    stages: dict[str, Stage],
    seen: dict[str, Tensor],
    table: Table,
    matrices: Mapping[str, Tensor],
    head: int,
    shared: dict[tuple[str, int], str],
) -> None:
    """Add the stages of a head out of view, shared ones once."""
    called: dict[str, str] = {}
    for name, stage in table.items():
        if stage.head is None:
            called[name] = name
            continue
        own = head_name(head, name)
        called[name] = shared.setdefault((name, stage.first), own) if _may_be_shared(stage) else own
        if called[name] == own:
            stages[own] = replace(stage, name=own, sources=tuple(called[source] for source in stage.sources))
            seen[own] = matrices[name]


def together(table: Table, matrices: Mapping[str, Tensor], name: str) -> Tensor:
    """Return one matrix of all heads.

    Scores are ``(..., n_heads, n_tokens, n_tokens)``; other matrices are joined side by side.
    """
    stages = [table[head_name(head, name)] for head in range(n_heads_in(table))]
    if stages[0].columns == "key":
        return torch.stack([matrices[stage.name] for stage in stages], dim=-3)
    return torch.cat([matrices[called] for called in {stage.first: stage.name for stage in stages}.values()], dim=-1)


def gathered(table: Table, matrices: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return all matrices as textbooks write them: heads stacked, cuts left out.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> made = trace(Scenario("a cat", n_heads=2))
    >>> {name: tuple(matrix.shape) for name, matrix in gathered(made.stages, made.matrices).items()}["scores"]
    (2, 2, 2)
    """
    shown: dict[str, Tensor] = {}
    if is_stack(table):
        for name, matrix in matrices.items():
            layer, own = placed(name)
            if own == name:  # given to the whole stack, or computed from its result
                shown[name] = matrix
            elif in_layer(layer, "q") not in shown:
                own_table, own_matrices = of_layer(table, matrices, layer)
                of_one = gathered(own_table, own_matrices)
                others = {each for each, stage in own_table.items() if stage.rule is None and stage.layer != layer}
                own_ones = (each for each in of_one if not (is_elsewhere(each) or each in table or each in others))
                shown |= {in_layer(layer, each): of_one[each] for each in own_ones}
        return shown
    for name, matrix in matrices.items():
        own = name.split(".", 2)[-1]
        if not is_of_a_head(name):
            shown[name] = matrix
        elif (rule := table[name].rule) and rule.cuts_rows:  # heads' parts aren't columns of the whole
            if f"{own}{OF_HEADS}" not in shown:
                each = (matrices[head_name(head, own)] for head in range(n_heads_in(table)))
                shown[f"{own}{OF_HEADS}"] = torch.stack(list(each), dim=-3)
        elif own not in matrices and own not in shown:
            shown[own] = together(table, matrices, own)
    return shown
