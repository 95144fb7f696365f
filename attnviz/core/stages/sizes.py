"""What the rows and columns of every matrix count, as the rules of its table say."""

from collections.abc import Mapping

from attnviz.core.stages import JOINED, Table, Y, head_name

# How wide these are is a size with a name; every other width is one of them, by the rules.
_WIDTHS = {
    "x": "d_in",
    "q": "d_k",
    "v": "d_v",
    "preactivations": "d_ff",
    "output": "d_model",
    "feed_forward": "d_model",
}
_OF_HEADS = {
    head_name(0, "q"): "d_k", head_name(0, "v"): "d_v", "q": "n_heads * d_k", "k": "n_kv_heads * d_k",
    "v": "n_kv_heads * d_v", "context": "n_heads * d_v",
}  # fmt: skip
_ROWS = {"token": "tokens", "query": "queries", "key": "keys"}


class _Size:
    """A size of which nothing is known but what it equals: a rule in which two meet makes them one."""

    def __init__(self) -> None:
        self._same: _Size | None = None
        self.is_one = False

    @property
    def first(self) -> "_Size":
        """The size that stands for all that equal this one."""
        return self if self._same is None else self._same.first

    def meets(self, other: object) -> bool:
        """Make this size and another, or a number, one."""
        if isinstance(other, _Size):
            if other.first is not self.first:
                other.first._same = self.first
        else:
            self.first.is_one = other == 1
        return True

    def __add__(self, other: "_Size") -> "_Size":
        return _Size()  # a width that is the sum of others: of it nothing is known


def sizes_of(table: Table, *, one_sequence: bool = True) -> Mapping[str, tuple[str, str]]:
    """Return what the rows and the columns of each matrix count: "tokens", "d_k", ...; a bias has "1" row.

    Unless all is made from `one_sequence`, queries and keys may differ in number, and are counted apart; so are keys of
    another sentence.

    >>> from attnviz.core.stages import STAGES
    >>> sizes = sizes_of(STAGES)
    >>> sizes["w_v"], sizes["b_v"], sizes["context"]
    (('d_in', 'd_v'), ('1', 'd_v'), ('tokens', 'd_v'))
    >>> sizes_of(STAGES, one_sequence=False)["scores"]
    ('queries', 'keys')
    """
    sizes: dict[str, tuple[_Size, _Size]] = {}
    for name, stage in table.items():
        if stage.rule is None:
            sizes[name] = _Size(), _Size()
        else:
            # Each reader of X gets a sequence of its own, where they may differ.
            alone = () if one_sequence else ("x",)
            sizes[name] = stage.rule.shape(
                *((_Size(), sizes[source][1]) if source in alone else sizes[source] for source in stage.sources)
            )
    named: list[tuple[_Size, str]] = [(sizes[Y][0], "kept")] if JOINED in table else []
    apart = not one_sequence or any(stage.is_of_others for stage in table.values())
    for kinds in (("query", "key"), ("token",)):  # who reads and who is read says more than that each is a token
        named += [
            (sizes[name][0], _ROWS[stage.rows if apart else "token"])
            for name, stage in table.items() if stage.rows in kinds
        ]  # fmt: skip
    widths = _WIDTHS if head_name(0, "q") not in table else _WIDTHS | _OF_HEADS
    named += [(sizes[name][1], width) for name, width in widths.items() if name in sizes]
    named += [(sizes[name][1], f"d_{name}") for name in sizes]  # a width that has no name of its own
    named += [(sizes[name][0], f"d_{name}") for name in sizes]
    return {name: (_name(rows, named), _name(columns, named)) for name, (rows, columns) in sizes.items()}


def _name(size: _Size, named: list[tuple[_Size, str]]) -> str:
    if size.first.is_one:
        return "1"
    return next(name for each, name in named if each.first is size.first)
