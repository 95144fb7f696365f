"""Sentences and worked examples to begin with: offered in the set-up and beside the sentence on the board."""

from functools import cache
from typing import Any

from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.session import address, state, url_texts
from attnviz.core.changes import changes_of
from attnviz.core.matrix_input import EXAMPLE_FILL
from attnviz.core.published_matrices import PUBLISHED_TEXT
from attnviz.link.set_up import CHANGES, EXAMPLE, parameters, with_example
from attnviz.published import OPENING, starting_points
from attnviz.words import say

_SENTENCES = ("cat", "dog", "man", "animal", "be")
EXAMPLES = (PUBLISHED_TEXT, *(say(f"setup.sentences.{name}") for name in _SENTENCES))


@cache
def offered() -> tuple[dict[str, Any], ...]:
    """Return of each example its name, its title, and what it changes of a page's query: with `whole`, all else of the
    set-up goes. Of a sentence, the name is its number."""
    text = parameters()["text"]
    sentences = [
        {"name": str(n), "title": each, "whole": False, "patch": {"text": text.write(each) or None, CHANGES: None}}
        for n, each in enumerate(EXAMPLES)
    ]
    worked = {
        name: {"name": name, "title": each.title, "whole": True, "patch": with_example({EXAMPLE: name})}
        for name, each in starting_points().items()
    }
    return (sentences[0], worked.pop(OPENING), *sentences[1:], *worked.values())


def use_sentence(sentence: str) -> None:
    """Begin with a sentence, told with the matrices of the seed, not with those of the last example."""
    state.forget_offer()
    drop_changes()
    address.turn({"text": sentence})


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
