"""An accessibility checker for pages, and a check of names and of keyboard access."""

import json
from collections.abc import Mapping
from types import MappingProxyType

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

from tests.browser.playground import eventually

# Streamlit's own elements, which this repository can't change.
NOT_OURS = [
    ["[data-testid=stDataFrame]"]  # the grid's own table for screen readers has an empty corner
]

_AXE = Axe().axe_script
# Only violations are asked for; axe would list each element of everything else, too.
_RUN = """([context, rules]) => axe.run(context, { resultTypes: ['violations'], ...rules })
  .then(({ violations }) => JSON.stringify(violations))"""
_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}

# Finds controls without a name, and controls that neither Tab nor a group's arrow keys reach.
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


def violations(page: Page, rules: Mapping[str, object] = MappingProxyType({})) -> list[str]:
    """Return all violations that axe finds on a page, also minor ones; or by some of its rules alone."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE)
    found = json.loads(page.evaluate(_RUN, [{"exclude": NOT_OURS}, dict(rules)]))
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for violation in found
        for node in violation["nodes"]
    ]


def nothing_is_found(page: Page) -> None:
    """Wait until axe finds nothing, after fades and changes have ended, and each control has a name and is reached."""
    eventually(lambda: violations(page), [])
    eventually(lambda: page.evaluate(_UNREACHED), [])


def all_stands_out(page: Page) -> None:
    """Wait until axe finds each text readable in its colour; a theme changes nothing else of a page."""
    eventually(lambda: violations(page, _COLOURS), [])
