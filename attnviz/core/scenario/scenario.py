"""A scenario is the whole question: all that determines a computation."""

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

    - `text`: the sentence; `tokenizer`: what cuts it, "words", "whitespace" or "characters".
    - `embedding`: what makes X ``(n_tokens, d_in)``. "stable": each token's vector depends on its text, `d_in` and
      `seed` alone. "table": rows of a seeded ``nn.Embedding``, in the order of the sorted distinct tokens. "published":
      the published vectors of the words that have one while `d_in` is 3, "stable" for all others. "class": how much
      of a noun, an adjective and a verb each English word is, by a list of words and endings; `d_in` is 3.
    - `word_classes`: words that are taken for "noun", "adjective" or "verb" with "class", as in "rule:verb grok:noun".
    - `positions`: "sinusoidal" or "learned" (drawn from the seed), with which X is the sum of the tokens' vectors,
      then called E, and P; "rotary", with which queries and keys are turned by their places; "alibi",
      "relative" or "near", with which `by_distance` ``(n_heads, 2 * n_read - 1)`` is added to scaled scores.
    - `embedding_factor`: the tokens' vectors are E, and go into X times √d_in.
    - `reads`: "itself"; a "second" sentence, of which keys and values are made, or a "kept" one, which stood before
      `text`, so that they are made of both; `second`: that sentence. Its vectors are Y ``(n_read, d_in)``, made as
      those of X are for a kept one; with several layers each keeps what it was handed for it.

    Sizes and weights:

    - `d_in`, `d_out`, `d_v`: columns of X, of Q and K, and of V (None: as `d_out`).
    - `n_heads`, `n_kv_heads`: heads that lie side by side in these columns, and how many of keys and values.
    - `init`, `seed`: what draws W_q, W_k, W_v, then W_o, W_1 and W_2; `bias`: whether Q, K and V have biases, those of
      nn.Linear with "linear", else zeros.
    - `output`: W_o ``(d_v, d_v)`` and b_o follow the context.
    - `d_ff`, `activation`: a feed-forward step of so many hidden features, with "relu" or "gelu" between its layers.
    - `norm`: a block is made of it, "sums" alone, or with layer norms "pre" or "post"; `d_v` has to be `d_in`.
    - `n_layers`, `same_layers`: so many layers, each with matrices of its own, or all with those of the first.

    Scores and shares:

    - `scale`, `temperature`: whether scores are divided by √d_k, and by what once more.
    - `mask`: "causal" (the same as `causal`), "window:W", "padding:K", "not-self" or "painted", which are kept as
      `masking` and `mask_size`; or M itself ``(n_tokens, n_read)``, of which -inf hides a key from a query. "padding:K"
      hides the last K that are read; a kept sentence itself was read without it.
    - `mask_use`: "added" to scaled scores; or what attention doesn't do: "factor" multiplies scores by exp(M), "zeroed"
      multiplies attention weights by it, and "renormalized" shares what is left of their rows out again. So do finite
      numbers of M; with "linear" weighting, scores are multiplied by exp(M), and each row is shared out.
    - `weighting`: "softmax", or "linear", with a feature map of queries and keys, and each row over its sum.
    - `what_if`: switches that make of it what attention isn't: see :mod:`attnviz.core.what_if`.

    Numbers in place of drawn ones:

    - `x`, `e`, `p`, `y`, `e_y`, `p_y`, `w_q` ... `beta_2`: explicit numbers (any nested sequence or array; with `d_v`
      None, `w_v` and `b_v` may have a width of their own), "identity" (ones on the main diagonal), "zeros", "random:N"
      (drawn alone, from seed N) or "example:ID" (as a worked example states it).
    - `deeper`: the same of later layers, a mapping from ``"layers.1.w_q"``.
    - `edits`: ``(matrix, row, column, value)``, laid over all that.
    - `device`: torch's name of one; where it isn't there, the CPU is used, and the trace says so in `notices`.

    Raises ``ValueError`` for whatever is of a wrong type or shape, or over a limit of :mod:`attnviz.core.limits`.

    >>> Scenario(text="a cat", edits=[("w_q", 0, 1, 0.9)]).matrix("w_q")[0, 1]
    tensor(0.9000)
    """

    edits: Edits = NO_EDITS  # said again, for a type checker takes what it inherits for what may be given

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
        if isinstance(self.w_v, tuple):  # then it says how wide the context is
            check_fit(self.__dict__ | {"d_v": self.width_of_context}, len(self.tokens))
        object.__setattr__(self, "edits", checked_edits(self, self.edits))

    def __repr__(self) -> str:
        """The code that makes it again: text and settings other than defaults."""
        defaults = {each.name: each.default for each in fields(self)}
        given = {name: getattr(self, name) for name in dict.fromkeys((*SETTINGS, *defaults)) if name != "text"}
        changed = (f"{name}={value!r}" for name, value in given.items() if value != defaults[name])
        return f"Scenario({', '.join((repr(self.text), *changed))})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:  # as of a trace
        return resolve_name("attnviz.documents:shown_in_notebook")(self)

    def with_edits(self, edits: Iterable[Any]) -> "Scenario":
        """Return the scenario with these edits in place of its own.

        All else is checked already, and drawn at most once for both.

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
