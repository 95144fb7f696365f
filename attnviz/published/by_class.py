"""A typed sentence, with numbers by kind of word."""

from attnviz.core.arguments import typed
from attnviz.core.matrix_input import EXAMPLE_FILL
from attnviz.core.scenario import Scenario
from attnviz.published import OPENING

ORDER, NO_ORDER = "near", "none"  # settings of positions, with and without a preference for near words


@typed
def by_class(text: str, word_order: bool = True) -> Scenario:
    """Return the scenario that Explore makes of a typed sentence.

    X ``(n_tokens, 3)`` says how much of a noun, an adjective and a verb each word is; W_q, W_k and W_v are those of the
    example that the app opens with, made by hand so that adjectives, determiners and verbs read nouns. With
    `word_order`, a number that depends on the distance is added to scaled scores, so that the nearer of two nouns is
    read.

    Raises ``ValueError`` for a text without tokens, or one over a limit.

    >>> from attnviz.core.scenario import trace as compute
    >>> trace = compute(by_class("the quick brown fox jumps over the lazy dog"))
    >>> trace.tokens[trace.attention_weights[7].argmax()]
    'dog'
    """
    example = f"{EXAMPLE_FILL}{OPENING}"
    return Scenario(
        text=text, embedding="class", positions=ORDER if word_order else NO_ORDER, w_q=example, w_k=example,
        w_v=example,
    )  # fmt: skip
