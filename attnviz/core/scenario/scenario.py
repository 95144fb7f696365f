"""A scenario is the whole question: everything that determines a computation, as plain values; and its trace."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from attnviz.core import limits
from attnviz.core.attention import AttentionTrace, UndefinedAttentionError, execute
from attnviz.core.limits import in_short
from attnviz.core.matrix_input import NO_EDITS, Edit, Edits, plain
from attnviz.core.scenario.checks import check_matrices, checked_edit, checked_edits, plain_deeper
from attnviz.core.scenario.matrices import Matrices
from attnviz.core.settings import check_fit, checked_settings, mask_settings
from attnviz.core.stages import EDITABLE


@dataclass(frozen=True)
class Scenario(Matrices):
    """Everything that determines a computation: same scenario, same numbers, everywhere.

    `text` is split by `tokenizer` ("words", "whitespace", "characters"). `embedding` makes X
    ``(n_tokens, d_in)``: "stable" (each token's vector depends on its text, `d_in` and `seed` alone), "table"
    (rows of a seeded ``nn.Embedding`` in the order of the sorted distinct tokens) or "published" (the
    published vectors of the words that have one while `d_in` is 3, "stable" for all others). `init` and `seed`
    draw W_q, W_k ``(d_in, d_out)``, W_v ``(d_in, d_v)`` (`d_v` None is `d_out`) and, with `bias`, b_q, b_k
    ``(d_out,)`` and b_v ``(d_v,)``.

    With `n_heads` Q, K, V and the context hold so many heads side by side in their columns, which it has to divide;
    with `n_kv_heads`, which has to divide it, so many of keys and values, and W_k and W_v are narrower by as much. With
    `output` W_o ``(d_v, d_v)`` and b_o follow the context: drawn after W_v, as an ``nn.Linear`` with "linear", else
    with a bias of zeros.

    With `norm` "sums", "pre" or "post" a block is made of it: what goes in is added to what comes out (`d_v` has to be
    `d_in`); with "pre" or "post" layer norms with gains gamma_1, gamma_2 of ones and offsets beta_1, beta_2 of zeros,
    each ``(d_in,)``, stand before or after.

    With `n_layers` over 1 so many of these layers follow one another, each with matrices of its own, drawn after those
    of the layer before, or with `same_layers` all with those of the first; what one makes (`d_v` has to be `d_in`) is
    the X of the next.

    With `positions` "sinusoidal", or "seeded" as an ``nn.Embedding`` draws them ("learned" is the same), X is the
    sum of the tokens' vectors, then called E, and P. With "rotary" queries and keys are turned by their places,
    pair by pair of columns. With `embedding_factor` the tokens' vectors are E without positions, too, and go into X
    times √d_in. With "alibi" or "relative" a number for each distance of two tokens is added to their scaled
    scores: `by_distance` ``(n_heads, 2 * n_read - 1)``, the distance times a slope of the head, or drawn from the
    seed. With `d_ff` a feed-forward step of so many hidden features follows, with `activation` "relu" or "gelu":
    W_1 ``(d_v, d_ff)``, b_1, W_2 ``(d_ff, d_v)``, b_2, drawn after all others, as two ``nn.Linear`` with "linear",
    else with biases of zeros.

    With `weighting` "linear", queries and keys go through a feature map in place of the softmax, and each row of their
    products is divided by its sum, whatever `scale` and `temperature` are; a mask multiplies these products by exp(M).

    With a mask that is added to the scaled scores, M ``(n_tokens, n_tokens)``: "causal" (the same as `causal`),
    "window:W" (a token reads itself and the W - 1 before it), "padding:K" (none reads the last K), "not-self",
    "painted" (hides nothing until its cells are edited), or given numbers, of which -inf hides a key from a query.
    A mask that is named is kept as `causal`, or as `masking` and `mask_size`. A `mask_use` other than "added" does
    with it what attention doesn't: "factor" multiplies scaled scores by exp(M), so that hidden ones are 0, "zeroed"
    multiplies the attention weights by exp(M) after the softmax, so that hidden ones are 0, and "renormalized"
    divides what is left of their rows by its sum. A finite number m of M is added, or multiplies by exp(m).

    Where it `reads` the "second" sentence, keys and values are made of Y ``(n_read, d_in)``, the vectors of the
    tokens of `second`, which are cut and drawn as those of `text` are (a "table" has rows of its own for them) and
    have nothing added to them; scores, a mask and attention weights are ``(n_tokens, n_read)``. Where it reads a
    "kept" one, `second` stood before `text`, and keys and values are made of Y with X below it: the tokens that are
    read are those of both, those of `second` first; a causal mask hides none of these, and "padding:K" the last K
    of `text`. Its places come first, too: with positions that are added Y is the sum of the vectors of its tokens,
    then called E_y, and P_y, and with the factor E_y goes into it times √d_in, as E goes into X. With several
    layers each has kept what it was handed for `second`, when the same layers read that alone.

    `what_if` holds switches that make of it what attention isn't, such as "softmax:columns" or "scores:cosine" (see
    :mod:`attnviz.core.what_if`), with commas between them.

    `x` (with positions `e` and `p`), `y` (of a kept sentence with positions `e_y` and `p_y`), `w_q` ... `b_2` replace
    the drawn matrix: by explicit numbers (any nested sequence or array; with `d_v` None, `w_v` and `b_v` may have a
    width of their own), or by "identity" (ones on the main diagonal), "zeros", "random:N" (drawn alone, from seed N) or
    "example:ID" (as a worked example states it).
    `deeper` replaces matrices of later layers in the same way: a mapping from ``"layers.1.w_q"``.
    `edits` are ``(matrix, row, column, value)`` laid over all that.
    A device that is not there falls back to the CPU; the trace says so in `notices`.

    Raises ``ValueError`` for whatever is of a wrong type or shape, or over a limit of :mod:`attnviz.core.limits`.

    >>> Scenario(text="a cat", edits=[("w_q", 0, 1, 0.9)]).matrix("w_q")[0, 1]
    tensor(0.9000)
    """

    edits: Edits = NO_EDITS  # said again, for a type checker takes what it inherits for what may be given

    def __post_init__(self) -> None:
        named = mask_settings(self.__dict__)
        if self.positions == "learned":  # as trained models, and their trainings here, call it
            named["positions"] = "seeded"
        changed = named | checked_settings(self.__dict__ | named)
        for name in EDITABLE:
            changed[name] = plain(name, changed[name] if name in changed else getattr(self, name))
        changed["deeper"] = plain_deeper(self.deeper)
        for field, value in changed.items():
            object.__setattr__(self, field, value)
        limits.check_whole("the number of tokens", len(self.tokens), 1, limits.MAX_TOKENS)
        check_fit(self.__dict__, len(self.tokens))
        check_matrices(self)
        if isinstance(self.w_v, tuple):  # then it says how wide the context is
            check_fit(self.__dict__ | {"d_v": self.width_of_context}, len(self.tokens))
        object.__setattr__(self, "edits", checked_edits(self, self.edits))

    def __repr__(self) -> str:
        """What makes it again: the text, and every setting that isn't the default."""
        given = {each.name: (getattr(self, each.name), each.default) for each in fields(self) if each.name != "text"}
        changed = (f"{name}={value!r}" for name, (value, at_first) in given.items() if value != at_first)
        return f"Scenario({', '.join((repr(self.text), *changed))})"

    def with_edits(self, edits: Iterable[Any]) -> "Scenario":
        """Return the scenario with these edits in place of its own: all else is checked already, and drawn at most
        once for both.

        Raises ``ValueError`` for an edit that doesn't fit.

        >>> Scenario("a cat", edits=[("w_q", 0, 0, 2)]).with_edits([("w_k", 0, 1, 0.9)]).edits
        (Edit(matrix='w_k', row=0, column=1, value=0.9),)
        """
        held = {"_held": self._held, "edits": checked_edits(self, edits)}
        other = object.__new__(Scenario)
        other.__dict__.update(self.__dict__ | held)
        other.__dict__.pop("given_to_stages", None)  # which has the edits in it
        return other

    def checked_edit(self, given: Any) -> Edit:
        """Return an edit that fits this scenario, or raise ``ValueError`` naming its cell."""
        return checked_edit(self, given)


def trace(scenario: Scenario | str) -> AttentionTrace:
    """Compute every intermediate of a scenario, float32 on its device; of a text, with the default settings.

    Raises ``ValueError`` for anything else, and :class:`attnviz.UndefinedAttentionError` (a ``ValueError``) for a row
    without a finite score.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1.

    >>> trace(Scenario(embedding="published")).context[1]
    tensor([0.3061, 0.8210])
    """
    if isinstance(scenario, str):
        scenario = Scenario(scenario)
    if not isinstance(scenario, Scenario):
        raise ValueError(f"scenario is {in_short(scenario)}, expected a Scenario or a text")
    inputs, notices = scenario.given_to_stages
    return execute(scenario.table, inputs, scenario.tokens, notices)


def traced(scenario: Scenario) -> AttentionTrace:
    """Compute a scenario as :func:`trace` does, or the part of it that is defined: in a row without a finite score the
    attention weights and the context are NaN.

    >>> broken = Scenario("a b", w_q="zeros", edits=[("w_q", 0, 0, 3e38), ("x", 0, 0, 10)])
    >>> bool(traced(broken).attention_weights.isnan().any())
    True
    """
    try:
        return trace(scenario)
    except UndefinedAttentionError as error:
        return error.trace


def without_changes(scenario: Scenario) -> Scenario:
    """Return the scenario as its set-up draws it: no edits, no replaced matrices."""
    nothing: dict[str, Any] = dict.fromkeys(EDITABLE)
    return replace(scenario, edits=(), deeper=(), **nothing)
