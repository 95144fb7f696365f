"""The bare address of the page says with which model it opens."""

from urllib.parse import urlencode

from attnviz.app.server.page_html import where
from attnviz.features.models.parameters import first_model


def test_a_bare_address_of_the_page_of_models_says_with_which_it_opens() -> None:
    assert urlencode(first_model(), safe="*").encode() in where("/course/model")
    assert b"model=" not in where("/course/")
