"""The lines of PyTorch that compute what a rule makes.

A rule that isn't registered here is written by its own template, `Rule.in_code`.
"""

from functools import singledispatch
from typing import NamedTuple

from attnviz.core.rules import (
    GELU,
    Concatenate,
    Lookup,
    Product,
    Recut,
    Relative,
    RmsNorm,
    Rotate,
    Rule,
    Scale,
    Share,
    Slice,
    Softmax,
    Surprise,
)
from attnviz.core.rules.cellwise import ALL_BELOW
from attnviz.core.rules.explaining.numbers import quotient
from attnviz.core.rules.rows import COLUMNS, ROWS, WHOLE


class HeadsInCode(NamedTuple):
    """A script's expressions for the numbers of rows and of heads.

    `repeated` is for grouped-query attention: whether several query heads read the same keys and values.
    """

    rows: str
    n_heads: str = "n_heads"
    repeated: bool = False


@singledispatch
def code(rule: Rule, target: str, *names: str) -> list[str]:
    """Return the lines that compute `made` from the sources `names`."""
    return [f"{target} = {rule.in_code.format(*names, **rule.settings)}"]


@singledispatch
def code_at_overflow(rule: Rule, target: str, *names: str) -> list[str]:
    """Return lines, for all heads, that are right even if numbers overflow.

    The result is empty if the lines of :func:`code` are right then, too.
    """
    return []


@singledispatch
def code_of_heads(rule: Rule, heads: HeadsInCode, target: str, *names: str) -> list[str]:
    """Return the lines for all heads, stacked along a first dimension."""
    return code(rule, target, *names)


@code.register
def _(rule: Product, target: str, *names: str) -> list[str]:
    product = f"{names[0]} @ {names[1]}{'.mT' if rule.transposed else ''}"
    if rule.cosine:
        lengths = f"{names[0]}.norm(dim=-1)[..., :, None] * {names[1]}.norm(dim=-1)[..., None, :]"
        product = f"{product} / ({lengths})"
    lines = [f"{target} = {' + '.join((product, *names[2:]))}"]
    return lines + [f"{target}[..., {row}, {column}] = {number!r}" for row, column, number in rule.typed]


@code_of_heads.register
def _(rule: Product, heads: HeadsInCode, target: str, *names: str) -> list[str]:
    """Return a product per head: a joint one would sum differently."""
    first, *rest = code(rule, target, "a", "b")
    of_all, product = first.split(" = ", 1)
    return [f"{of_all} = torch.stack([{product} for a, b in zip({', '.join(names)})])", *rest]


@code.register
def _(rule: Scale, target: str, *names: str) -> list[str]:
    divisors = ["d_k**0.5"] * (rule.d_k is not None) + [repr(rule.temperature)] * (rule.temperature != 1)
    divided = quotient(names[0], divisors, " * ")
    if rule.factor and len(names) > 1:
        return [f"{target} = {divided} * {names[1]}.exp()"]
    return [f"{target} = {' + '.join((divided, *names[1:]))}"]


@code_at_overflow.register
def _(rule: Scale, target: str, *names: str) -> list[str]:
    """Return lines that also mask ∞, which plus -∞ would be NaN."""
    if rule.factor or len(names) == 1:
        return []
    (line,) = code(rule, target, *names)
    infinite = 'float("-inf")'
    return [line, f"{target} = {target}.masked_fill({names[1]} == {infinite}, {infinite})"]


@code.register
def _(rule: Softmax, target: str, *names: str) -> list[str]:
    if rule.sink is not None:
        sink = f"torch.full_like({names[0]}[..., :1], {rule.sink!r})"
        return [f"{target} = torch.softmax(torch.cat([{names[0]}, {sink}], dim=-1), dim=-1)[..., :-1]"]
    over = {
        ROWS: f"torch.softmax({names[0]}, dim=-1)",
        COLUMNS: f"torch.softmax({names[0]}, dim=-2)",
        WHOLE: f"torch.softmax({names[0]}.flatten(-2), dim=-1).view({names[0]}.shape)",
    }
    lines = [f"{target} = {over[rule.axis]}"]
    if len(names) > 1:
        lines[0] += f" * {names[1]}.exp()"
    if rule.shared and len(names) > 1:
        lines.append(f"{target} = {target} / {target}.sum(-1, keepdim=True)")
    return lines


@code.register
def _(rule: Share, target: str, *names: str) -> list[str]:
    kept = names[0] if len(names) == 1 else f"{names[0]} * {names[1]}.exp()"
    return [f"{target} = {kept}", f"{target} = {target} / {target}.sum(-1, keepdim=True)"]


@code.register
def _(rule: RmsNorm, target: str, *names: str) -> list[str]:
    source, gain, *rest = names
    mean = f"{source}.square().mean(-1, keepdim=True)"
    if rest:
        n = f"{source}.shape[-1]"
        mean = f"({n} * {mean} + {rule.others} * {rest[0]}.square()) / ({n} + {rule.others})"
    return [f"{target} = {source} * ({mean} + {rule.epsilon!r}).rsqrt() * {gain}"]


@code_at_overflow.register
def _(rule: GELU, target: str, *names: str) -> list[str]:
    """Return lines that keep large numbers, for which torch's GELU overflows."""
    (line,) = code(rule, target, *names)
    return [line, f"{target} = torch.where({names[0]} > {ALL_BELOW}, {names[0]}, {target})"]


@code.register
def _(rule: Concatenate, target: str, *names: str) -> list[str]:
    return [f"{target} = torch.cat([{', '.join(names)}], dim={-2 if rule.axis == ROWS else -1})"]


@code_of_heads.register
def _(rule: Concatenate, heads: HeadsInCode, target: str, *names: str) -> list[str]:
    return [f"{target} = {names[0]}.transpose(0, 1).flatten(1)"]


@code_of_heads.register
def _(rule: Slice, heads: HeadsInCode, target: str, *names: str) -> list[str]:
    """Return a view of all heads; columns that several read are repeated."""
    lines = [f"{target} = {names[0]}.view({heads.rows}, {heads.n_heads}, -1).transpose(0, 1)"]
    times = f"n_heads // {heads.n_heads}"
    return [*lines, f"{target} = {target}.repeat_interleave({times}, dim=0)"] if heads.repeated else lines


@code_of_heads.register
def _(rule: Recut, heads: HeadsInCode, target: str, *names: str) -> list[str]:
    return [f"{target} = {names[0]}.view(n_heads, {heads.rows}, -1)"]


@code.register
def _(rule: Rotate, target: str, *names: str) -> list[str]:
    (name,) = names
    places = f"{rule.place}, {rule.place} + {name}.shape[-2]" if rule.place else f"{name}.shape[-2]"
    place = f"place = torch.arange({places}, dtype=torch.float64)[:, None]"
    if rule.thetas is None:
        pair = f"torch.arange(0, {name}.shape[-1], 2, dtype=torch.float64) / {name}.shape[-1]"
        angles = [place, f"angle = place / {rule.base:g}**({pair})"]
    else:
        angles = [place, f"angle = (place.float() * torch.tensor({list(rule.thetas)})).double()"]
    return [*angles, f"cos, sin = angle.cos().to({name}), angle.sin().to({name})", *turned(rule, target, name)]


def turned(rule: Rotate, target: str, name: str, first: int = 0) -> list[str]:
    """Return the lines that turn pairs by the variables cos and sin.

    The first row of `name` belongs to row `first` of cos and sin.
    """
    end, rest = ("", "") if rule.thetas is None else (f"{(n := 2 * len(rule.thetas))}", f", {name}[..., {n}:]")
    if rule.halves:
        parts, joined = f"{name}[..., :{end}].chunk(2, dim=-1)", "torch.cat([{}], dim=-1)"
    else:
        parts, joined = f"{name}[..., 0:{end}:2], {name}[..., 1:{end}:2]", "torch.stack([{}], dim=-1).flatten(-2)"
    one, other = "first", "second"
    cosine, sine = (f"{each}[{first}:]" if first else each for each in ("cos", "sin"))
    both = joined.format(f"{one} * {cosine} - {other} * {sine}, {one} * {sine} + {other} * {cosine}")
    return [
        f"{one}, {other} = {parts}",
        f"{target} = torch.cat([{both}{rest}], dim=-1)" if rest else f"{target} = {both}",
    ]


@code.register
def _(rule: Relative, target: str, *names: str) -> list[str]:
    return _by_distance(rule, str(rule.head), target, *names)


@code_of_heads.register
def _(rule: Relative, heads: HeadsInCode, target: str, *names: str) -> list[str]:
    return _by_distance(rule, ":", target, *names)


def _by_distance(rule: Relative, row: str, target: str, *names: str) -> list[str]:
    queries = f"i[{rule.place}:, None]" if rule.place else "i[:, None]"
    numbers = f"{names[0]}[{row}, i - {queries} + len(i) - 1]"
    return [
        f"i = torch.arange(({names[0]}.shape[1] + 1) // 2, device={names[0]}.device)",
        f"{target} = {' + '.join((numbers, *names[1:]))}",
    ]


@code.register
def _(rule: Lookup, target: str, *names: str) -> list[str]:
    return [f"{target} = {names[0]}[..., {rule.of_one}, :]"]


@code.register
def _(rule: Surprise, target: str, *names: str) -> list[str]:
    rows = list(range(len(rule.targets)))
    return [f"{target} = -torch.log_softmax({names[0]}, dim=-1)[{rows}, {rule.of_one}][:, None]"]
