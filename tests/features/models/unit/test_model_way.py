"""The board's press that leads from a sentence to a trained model."""

from attnviz.app.parts.words import words_of
from attnviz.features.models.parameters import MODEL_HEAD, SENTENCE, texts_of_models
from attnviz.published.by_class import by_class


def test_a_trained_model_reads_the_sentence_alone() -> None:
    """Whatever its page had before, such as a second text or a changed number, isn't of this sentence."""
    words = words_of(by_class("my dog sees it"), random=False)
    assert words is not None
    act = words["acts"][-1]
    assert (act["page"], {name for name, text in act["patch"].items() if text}) == ("model", {SENTENCE, MODEL_HEAD})
    assert set(texts_of_models()) <= act["patch"].keys()
