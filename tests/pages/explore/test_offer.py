"""What is dropped is offered back where it was dropped, and no longer than it makes sense."""

from typing import Any

from attnviz import Scenario
from attnviz.app.parts.examples import example_sentences
from tests.pages.playground import Playground

PUBLISHED: dict[str, Any] = {"embedding": "published"}
CAT = example_sentences().index("the cat sat on the mat")


def test_an_example_sentence_starts_from_the_seed_and_offers_no_matrices_of_the_last_example() -> None:
    playground = Playground(example="love-ai").press_key(f"setup.example.{CAT}")
    assert playground.changes == ""
    cat = Scenario("the cat sat on the mat", **{name: playground.value(name) for name in ("d_in", "d_out", "seed")},
                   scale=playground.value("scale"), embedding=playground.value("embedding"))  # fmt: skip
    assert playground.shows(cat)
    assert not playground.can_press("Bring back")


def test_only_what_fits_can_be_brought_back() -> None:
    playground = Playground(text="a cat", edits="x.given.1_2_3__4_5_6").type_sentence("a big dog")
    assert playground.can_press("Forget")
    assert not playground.can_press("Bring back")
    playground = Playground(text="a cat", edits="x.given.1_2_3__4_5_6").type_sentence("a dog")
    assert playground.press("Bring back").shows(Scenario("a dog", **PUBLISHED, x=[[1, 2, 3], [4, 5, 6]]))


def test_an_offer_ends_with_the_page_it_stands_on_and_waits_for_one_that_can_make_it() -> None:
    playground = Playground("pages/questions.py", edits="w_q.0.1.0.9").set("seed", 5)
    assert not playground.can_press("Bring back")
    assert playground.visit("pages/playground.py").can_press("Bring back")
    assert not playground.visit("pages/lesson.py").visit("pages/playground.py").can_press("Bring back")
    playground = Playground("pages/questions.py", edits="w_q.0.1.0.9").set("seed", 5).visit("pages/playground.py")
    assert playground.press("Bring back").shows(Scenario(**PUBLISHED, seed=5, edits=[("w_q", 0, 1, 0.9)]))
