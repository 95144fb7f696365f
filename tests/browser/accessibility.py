"""What an accessibility checker says about a page."""

import json

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from tests.browser.playground import eventually

# Streamlit's own elements, which this repository cannot change.
NOT_OURS = [
    ["[data-testid=stDataFrame]"]  # the grid's own table for screen readers has an empty corner
]

_AXE = Axe().axe_script
# Of all else that it finds it would tell each element.
_RUN = """context => axe.run(context, { resultTypes: ['violations'] })
  .then(({ violations }) => JSON.stringify(violations))"""

# What can be pressed or typed into on a page, and has no name, or that neither Tab nor the arrow keys of a group reach.
_UNREACHED = """() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const all = roots.flatMap(root => [...root.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [role=slider], [role=radio], [role=switch], [onclick]')]);
  const named = each => each.ariaLabel || each.innerText || each.title || each.placeholder
    || [...each.labels ?? []].some(label => label.innerText.trim()) || each.getAttribute('aria-labelledby');
  const groups = '[role=radiogroup], [role=tablist], [role=grid], [role=menu], [role=group], [role=toolbar]';
  const reached = each => each.tabIndex >= 0
    || [...each.closest(groups)?.querySelectorAll('*') ?? []].some(other => other.tabIndex >= 0);
  return all.filter(each => each.checkVisibility({ visibilityProperty: true }) && !each.disabled
    && !each.closest('[aria-hidden=true], [inert], .stNumberInput') && !(named(each) && reached(each)))
    .map(each => each.outerHTML.slice(0, 200));
}"""


def violations(page: Page) -> list[str]:
    """Return all that axe finds on a page, however little it matters."""
    page.evaluate(_AXE)
    found = json.loads(page.evaluate(_RUN, {"exclude": NOT_OURS}))
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for violation in found
        for node in violation["nodes"]
    ]


def nothing_is_found(page: Page) -> None:
    """Wait until axe finds nothing: what fades in, or changes, has done so; all has a name, and a key reaches it."""
    eventually(lambda: violations(page), [])
    eventually(lambda: page.evaluate(_UNREACHED), [])
