"""Sentences and worked examples to begin with: offered in the set-up and beside the sentence on the board."""

import streamlit as st

from attnviz.app.parts import published_example
from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.session import state, url_texts
from attnviz.core.changes import changes_of
from attnviz.core.matrix_input import EXAMPLE_FILL
from attnviz.core.published_matrices import PUBLISHED_TEXT
from attnviz.link.set_up import CHANGES
from attnviz.published import OPENING, starting_points, worked_examples
from attnviz.words import say

_SENTENCES = ("cat", "dog", "man", "animal", "be")
EXAMPLES = (PUBLISHED_TEXT, *(say(f"setup.sentences.{name}") for name in _SENTENCES))


def offered() -> list[dict[str, str]]:
    """Return the name and the title of each example, a sentence's name being its number."""
    sentences = [{"name": str(n), "title": sentence} for n, sentence in enumerate(EXAMPLES)]
    worked = [{"name": name, "title": example.title} for name, example in worked_examples().items()]
    return [sentences[0], {"name": OPENING, "title": starting_points()[OPENING].title}, *sentences[1:], *worked]


def use(name: str) -> None:
    """Begin with an example that is offered; in a callback, before the controls are drawn.

    Raises ``ValueError`` for one that isn't.
    """
    if name not in {each["name"] for each in offered()}:
        raise ValueError(f"example is {name!r}, expected one that is offered")
    if name.isdigit():
        use_sentence(EXAMPLES[int(name)])
    else:
        published_example.set_up(name)


def use_sentence(sentence: str) -> None:
    """Begin with a sentence, told with the matrices of the seed, not with those of the last example."""
    state.forget_offer()
    drop_changes()
    st.session_state["text"] = sentence


def drop_changes() -> None:
    """Take the changes of the set-up out, and offer them back, unless they are an example's own."""
    scenario = scenario_now()
    if scenario is None:
        return
    url_texts.send(CHANGES, "")
    dropped = changes_of(scenario)
    if dropped.edits or any(not _of_example(by) for _, by in dropped.replaced):
        state.offer_back(dropped)


def _of_example(by: object) -> bool:
    return isinstance(by, str) and by.startswith(EXAMPLE_FILL)
