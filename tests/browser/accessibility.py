"""What an accessibility checker says about a page."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

# Streamlit's own elements, which this repository cannot change.
NOT_OURS = [
    ["[data-testid=stDataFrame]"]  # the grid's own table for screen readers has an empty corner
]


def violations(page: Page) -> list[str]:
    """Return all that axe finds on a page, however little it matters."""
    options = {"resultTypes": ["violations"]}  # of all else it would tell each element
    found = Axe().run(page, context={"exclude": NOT_OURS}, options=options).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for violation in found
        for node in violation["nodes"]
    ]
