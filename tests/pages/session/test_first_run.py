"""What a reader sees before touching anything: the published example."""

import numpy as np

from attnviz.core.stages import STAGES
from attnviz.words import say
from tests.pages.playground import JOURNEY, Playground

PUBLISHED_ROWS = {
    "x": (0.55, 0.87, 0.66),
    "q": (0.4306, 1.4551),
    "scores": (1.2705, 1.8524, 1.8111, 1.0795, 0.5577, 1.5440),
    "attention_weights": (0.1500, 0.2264, 0.2199, 0.1311, 0.0906, 0.1820),
    "context": (0.3061, 0.8210),
}


def test_journey_has_its_published_numbers(playground: Playground) -> None:
    for name, row in PUBLISHED_ROWS.items():
        np.testing.assert_allclose(playground.matrix(name)[JOURNEY], row, atol=5e-5)


def test_the_page_says_what_journey_attends_to(playground: Playground) -> None:
    assert (
        playground.sentence
        == "“journey” reads itself most: attention weight 0.2264, where an even share would be 0.1667."
    )
    assert "All 6 tokens have their published vectors." in playground.captions
    assert playground.messages == []


def test_every_chart_has_a_text_for_those_who_cannot_see_it(playground: Playground) -> None:
    for name, chart in playground.charts.items():
        assert chart.alt.startswith(STAGES[name].title)
        assert "Values from" in chart.alt
    assert "“journey” reads itself most: attention weight 0.2264, " in playground.charts["attention_weights"].alt
    assert "0.3061, 0.8210" in playground.charts["context"].alt
    w_q = STAGES["w_q"]
    assert playground.at.data_editor[0].proto.alt == say("editor.alt", title=w_q.title, meaning=w_q.meaning)
