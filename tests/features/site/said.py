"""What tests of the whole app are told of the site."""

# Texts that aren't said, by file: tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/site/recorded.py": "holds the words that a model goes on with",
    "attnviz/features/site/shared.py": "writes HTML",
}


def taken_home() -> dict[str, str]:
    """What is saved: tests/unit/project/test_words.py."""
    from attnviz.features.site.board_pages import add_missing
    from attnviz.features.site.shared import Site

    site = Site()
    add_missing(site, site.shared())
    return {"the site's missing page": site.files["404.html"].decode()}
