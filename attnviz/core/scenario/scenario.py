"""A scenario: everything that determines a computation."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pkgutil import resolve_name
from typing import Any

from attnviz.core import limits
from attnviz.core.attention import AttentionTrace, UndefinedAttentionError, execute
from attnviz.core.limits import in_short
from attnviz.core.matrix_input import NO_EDITS, Edit, Edits, plain
from attnviz.core.scenario.chance import chances_of
from attnviz.core.scenario.derived import SETTINGS
from attnviz.core.scenario.matrices import Matrices, check_matrices, checked_edit, checked_edits, plain_deeper
from attnviz.core.settings import check_fit, checked_settings, mask_settings
from attnviz.core.stages import EDITABLE


@dataclass(frozen=True)
class Scenario(Matrices):
    """Everything that determines a computation: same scenario, same numbers, everywhere.

    The sentence and its vectors:

    - `text`: the sentence; `tokenizer`: how it's cut into tokens, "words", "whitespace" or "characters".
    - `embedding`: how X ``(n_tokens, d_in)`` is made. "stable": each token's vector depends on its text, `d_in` and
      `seed` alone. "table": rows of a seeded ``nn.Embedding``, in the order of the sorted distinct tokens. "published":
      the published vectors of the words that have one while `d_in` is 3, "stable" for all others. "class": how much
      of a noun, an adjective and a verb each English word is, by a list of words and endings; `d_in` is 3.
    - `word_classes`: words that are taken for "noun", "adjective" or "verb" with "class", as in "rule:verb grok:noun".
    - `positions`: "sinusoidal" or "learned" (drawn from the seed): X is the sum of the tokens' vectors, then called E,
      and P; "rotary": queries and keys are rotated by their positions; "alibi", "relative" or "near": `by_distance`
      ``(n_heads, 2 * n_read - 1)`` is added to scaled scores.
    - `embedding_factor`: whether the tokens' vectors, then called E, are multiplied by √d_in.
    - `reads`: which sentence keys and values are made from: "itself", a "second" one (cross-attention), or a "kept"
      one, which stood before `text`, together with `text`; `second`: that sentence. Its vectors are Y
      ``(n_read, d_in)``, for a kept sentence made as X is; each later layer reads what the layer before it made of the
      kept sentence.

    Sizes and weights:

    - `d_in`, `d_out`, `d_v`: columns of X, of Q and K, and of V (None: as `d_out`).
    - `n_heads`, `n_kv_heads`: how many heads share these columns, and how many heads of keys and values there are.
    - `init`, `seed`: how W_q, W_k, W_v, then W_o, W_1 and W_2 are drawn; `bias`: whether Q, K and V have biases, those
      of nn.Linear with "linear", else zeros.
    - `output`: whether W_o ``(d_v, d_v)`` and b_o follow the context.
    - `d_ff`, `activation`: the hidden features of a feed-forward step, and "relu" or "gelu" between its layers.
    - `norm`: the block around attention: "sums" alone, or with layer norms, "pre" or "post"; `d_v` must equal `d_in`.
    - `n_layers`, `same_layers`: how many layers there are, and whether all use the matrices of the first.

    Scores and shares:

    - `scale`, `temperature`: whether scores are divided by √d_k, and a number that divides them, too.
    - `mask`: "causal" (the same as `causal`), "window:W", "padding:K", "not-self" or "painted", which are kept as
      `masking` and `mask_size`; or M itself ``(n_tokens, n_read)``, in which -inf hides a key from a query. "padding:K"
      hides the last K keys, though not while a kept sentence reads itself.
    - `mask_use`: "added" to scaled scores; or what attention doesn't do: "factor" multiplies scores by exp(M), "zeroed"
      multiplies attention weights by exp(M), and "renormalized" then divides each row by its sum. This holds for finite
      numbers of M, too. With "linear" weighting, scores are multiplied by exp(M), and each row is divided by its sum.
    - `weighting`: "softmax", or "linear": a feature map of queries and keys, and each row divided by its sum.
    - `what_if`: switches that change what attention does: see :mod:`attnviz.core.what_if`.

    Numbers in place of drawn ones:

    - `x`, `e`, `p`, `y`, `e_y`, `p_y`, `w_q` ... `beta_2`: explicit numbers (any nested sequence or array; with `d_v`
      None, `w_v` and `b_v` may have a width of their own), "identity" (ones on the main diagonal), "zeros", "random:N"
      (drawn alone, from seed N) or "example:ID" (as a worked example states it).
    - `deeper`: the same for later layers: a mapping from names such as ``"layers.1.w_q"``.
    - `edits`: changed cells ``(matrix, row, column, value)``, applied last.
    - `device`: torch's name of a device; if the machine lacks it, the CPU is used, and the trace's `notices` say so.

    Raises ``ValueError`` for a value of a wrong type or shape, or beyond a limit of :mod:`attnviz.core.limits`.

    >>> Scenario(text="a cat", edits=[("w_q", 0, 1, 0.9)]).matrix("w_q")[0, 1]
    tensor(0.9000)
    """

    edits: Edits = NO_EDITS  # repeated, because type checkers ignore what an inherited field accepts

    def __post_init__(self) -> None:
        named = mask_settings(self.__dict__)
        changed = named | checked_settings(self.__dict__ | named)
        for name in EDITABLE:
            changed[name] = plain(name, changed[name] if name in changed else getattr(self, name))
        changed["deeper"] = plain_deeper(self.deeper)
        for field, value in changed.items():
            object.__setattr__(self, field, value)
        limits.check_whole("the number of tokens", len(self.tokens), 1, limits.MAX_TOKENS)
        check_fit(self.__dict__, len(self.tokens))
        check_matrices(self)
        if isinstance(self.w_v, tuple):  # then it decides the context's width
            check_fit(self.__dict__ | {"d_v": self.width_of_context}, len(self.tokens))
        object.__setattr__(self, "edits", checked_edits(self, self.edits))

    def __repr__(self) -> str:
        """Return code that creates it: its text, and all settings but defaults."""
        defaults = {each.name: each.default for each in fields(self)}
        given = {name: getattr(self, name) for name in dict.fromkeys((*SETTINGS, *defaults)) if name != "text"}
        changed = (f"{name}={value!r}" for name, value in given.items() if value != defaults[name])
        return f"Scenario({', '.join((repr(self.text), *changed))})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:  # for notebooks, as in Trace
        return resolve_name("attnviz.documents:shown_in_notebook")(self)

    def with_edits(self, edits: Iterable[Any]) -> "Scenario":
        """Return the scenario with these edits in place of its own.

        All other settings are checked already, and both scenarios share the drawn matrices.

        Raises ``ValueError`` for an edit that doesn't fit.

        >>> Scenario("a cat", edits=[("w_q", 0, 0, 2)]).with_edits([("w_k", 0, 1, 0.9)]).edits
        (Edit(matrix='w_k', row=0, column=1, value=0.9),)
        """
        held = {"_held": self._held, "edits": checked_edits(self, edits)}
        other = object.__new__(Scenario)
        other.__dict__.update(self.__dict__ | held)
        other.__dict__.pop("given_to_stages", None)  # it contains the old edits
        return other

    def checked_edit(self, given: Any) -> Edit:
        """Return an edit that fits, or raise ``ValueError`` naming its cell."""
        return checked_edit(self, given)


def trace(scenario: Scenario | str) -> AttentionTrace:
    """Compute every intermediate of a scenario, float32 on its device.

    A text stands for its scenario with default settings.

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
    return execute(scenario.table, inputs, scenario.tokens, notices, chances_of(scenario))


def traced(scenario: Scenario) -> AttentionTrace:
    """Compute a scenario as :func:`trace` does, as far as it's defined.

    Where a row has no finite score, its attention weights and context are NaN.
    """
    try:
        return trace(scenario)
    except UndefinedAttentionError as error:
        return error.trace


def without_changes(scenario: Scenario) -> Scenario:
    """Return the scenario without edits and replaced matrices."""
    nothing: dict[str, Any] = dict.fromkeys(EDITABLE)
    return replace(scenario, edits=(), deeper=(), **nothing)
