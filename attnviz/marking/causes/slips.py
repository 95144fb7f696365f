"""Known slips, each as a hypothesis: what a table becomes by it. One row of `SLIPS` for each."""

from collections.abc import Callable
from typing import NamedTuple

from attnviz.marking.causes import designs, heads, lines, numbers, products, softmax
from attnviz.marking.causes.step import Candidates, Step


class Slip(NamedTuple):
    """A known slip: its name, which is also that of its sentence; the kinds of stages where it can be made; and what a
    table becomes by it, in each of the ways that there are.
    """

    name: str
    kinds: frozenset[str]
    ways: Callable[[Step], Candidates]


_ANY = frozenset({"product", "scale", "softmax", "add", "relu", "gelu", "concatenate", "slice"})
_OF_HEADS = frozenset({"product", "slice"})
_PRODUCT, _SCALE, _SOFTMAX, _ADD = (frozenset({kind}) for kind in ("product", "scale", "softmax", "add"))

SLIPS: tuple[Slip, ...] = (
    Slip("heads_cut", _OF_HEADS, heads.cut_otherwise),
    Slip("heads_joined", frozenset({"concatenate"}), heads.joined_otherwise),
    Slip("one_head", _PRODUCT, heads.one_head),
    Slip("of_another_head", _ANY, heads.of_another_head),
    Slip("output_forgotten", _PRODUCT, heads.output_forgotten),
    Slip("not_transposed", _PRODUCT, products.not_transposed),
    Slip("w_transposed", _PRODUCT, products.w_transposed),
    Slip("other_factor", _PRODUCT, products.other_factor),
    Slip("from_the_left", _PRODUCT, products.from_the_left),
    Slip("weights_turned", _PRODUCT, products.weights_turned),
    Slip("scaled_early", _PRODUCT, products.scaled_early),
    Slip("bias_forgotten", _PRODUCT, products.bias_forgotten),
    Slip("bias_forgotten", _ADD, products.summand_forgotten),
    Slip("other_factor", _ADD, products.other_summand),
    Slip("residual_added", _PRODUCT, products.residual_added),
    Slip("divided_otherwise", _SCALE, softmax.divided_otherwise),
    Slip("mask_forgotten", _SCALE, softmax.mask_forgotten),
    Slip("mask_forgotten", _SOFTMAX, softmax.mask_ignored),
    Slip("mask_after", _SOFTMAX, softmax.mask_after),
    Slip("unscaled", _SOFTMAX, softmax.from_unscaled),
    Slip("scaled_again", _SOFTMAX, softmax.scaled_again),
    Slip("over_columns", _SOFTMAX, softmax.over_columns),
    Slip("over_all", _SOFTMAX, softmax.over_all),
    Slip("not_normalized", _SOFTMAX, softmax.not_normalized),
    Slip("largest_from_some", _SOFTMAX, softmax.largest_from_some),
    Slip("shares_of_scores", _SOFTMAX, softmax.shares_of_scores),
    Slip("turned_by_place", _PRODUCT, designs.turned_by_place),
    Slip("less_by_distance", _SCALE, designs.less_by_distance),
    Slip("of_features", _SOFTMAX, designs.of_features),
    Slip("normed_first", _PRODUCT | _ADD, designs.normed_first),
    Slip("other_activation", frozenset({"relu", "gelu"}), numbers.other_activation),
    Slip("left_as_it_was", _ANY, products.left_as_it_was),
    Slip("turned", _ANY, lines.turned),
    Slip("rows_shifted", _ANY, lines.rows_shifted),
    Slip("columns_shifted", _ANY, lines.columns_shifted),
    Slip("columns_swapped", _ANY, lines.columns_swapped),
    Slip("rows_swapped", _ANY, lines.rows_swapped),
    Slip("row_of_another", _ANY, lines.row_of_another),
    Slip("power_of_ten", _ANY, numbers.power_of_ten),
    Slip("sign_of_all", _ANY, numbers.sign_of_all),
    Slip("written_wrongly", _ANY, numbers.written_wrongly),
    Slip("misread", _PRODUCT, numbers.misread),
    Slip("rounded_early", _ANY, numbers.rounded_early),
)
