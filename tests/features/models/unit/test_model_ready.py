"""A server that is ready holds the model that the page opens with."""

from attnviz.feature import filled
from attnviz.features.language_models.inside import STORIES, offered
from attnviz.features.models.page import result_cache


def test_whoever_opens_the_page_on_a_ready_server_finds_its_first_words() -> None:
    result_cache._shelf.cache_clear()
    for ready in filled("ready").values():
        ready()
    assert offered()[STORIES] in result_cache._shelf()
