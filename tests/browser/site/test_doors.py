"""The four doors: what stands in the bar, at both widths, and how each page is reached through it."""

from playwright.sync_api import expect

from attnviz.app.entry.main import DOORS, HIDDEN, OWN_EXAMPLES
from attnviz.words import say
from tests.browser.accessibility import violations
from tests.browser.lesson import Learner
from tests.browser.playground import at_rest, eventually, is_laid, named
from tests.browser.readers import New
from tests.written_links import names_its_sentence

_MARKED = """() => [...document.querySelectorAll('[data-testid=stTopNav] > :not(.rc-overflow-item-rest)')].map(
  door => getComputedStyle(door.querySelector('a, button')).borderBottomColor)"""
_ON_TOP = """cell => {
  const { x, y, width, height } = cell.getBoundingClientRect();
  return cell.contains(cell.getRootNode().elementFromPoint(x + width / 2, y + height / 2));
}"""

WITH_BOARD = ("playground", "lesson", "questions")


def _alone(colours: list[str]) -> list[int]:
    return [i for i, colour in enumerate(colours) if colours.count(colour) == 1]


def fetched(reader: Learner) -> set[str]:
    """Return of which parts of ours a page has fetched the script: none is of another page."""
    names = reader.page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)")
    return {name.rpartition("/scripts/")[2].partition(".")[0] for name in names if "/scripts/" in name}


def _titles(door: str) -> list[str]:
    return [say(f"app.{page}.title") for page in DOORS[door] if page not in HIDDEN]


def stands_behind_its_door(reader: Learner, page: str) -> None:
    """The bar has four doors, and marks the one behind which a page is; no other page's script was fetched."""
    bar = reader.page.get_by_test_id("stTopNav")
    expect(bar.get_by_test_id("stTopNavLink")).to_have_text(_titles(""))
    expect(bar.get_by_role("button")).to_have_text([say(f"app.doors.{door}") for door in DOORS if door])
    expect(reader.setup_button).to_have_count(int(page not in OWN_EXAMPLES))
    open_door = next(i for i, pages in enumerate(DOORS.values()) if page in pages)
    eventually(lambda: _alone(reader.page.evaluate(_MARKED)), [open_door])
    own = {"board"} if page in WITH_BOARD else {"pictures"} if page == "compare" else set[str]()
    assert fetched(reader) == own, page


def test_each_page_is_reached_through_its_door_by_keyboard(new: New) -> None:
    reader = new(Learner).go("/")
    for door in filter(None, DOORS):
        for i, (page, title) in enumerate(zip(DOORS[door], _titles(door), strict=True)):
            reader.page.get_by_role("button", name=say(f"app.doors.{door}"), exact=True).focus()
            reader.page.keyboard.press("Enter")
            link = reader.page.get_by_role("menuitem", name=title, exact=True)
            expect(link).to_be_visible()
            for _ in range(i):
                reader.page.keyboard.press("ArrowDown")
            expect(link).to_be_focused()
            if (door, i) == ("models", 0):
                # Streamlit puts its menus into a portal beside all landmarks.
                eventually(lambda: [each for each in violations(reader.page) if "ui-portal" not in each], [])
            reader.page.keyboard.press("Enter")
            reader.page.wait_for_url(f"**/{page}*")
    reader.go_to(say("app.playground.title"))
    eventually(lambda: reader.page.evaluate("location.pathname"), "/")


def test_an_old_link_to_an_exercise_opens_its_page_and_back_leads_away(new: New) -> None:
    reader = new(Learner)
    reader.page.goto(f"{reader.server}/_stcore/health")
    reader.page.goto(f"{reader.server}/check?check=exercise.7")
    expect(reader.page.get_by_label(say("exercises.number"), exact=True)).to_have_value("7")
    reader.page.wait_for_url("**/exercises?*")
    reader.page.go_back()
    reader.page.wait_for_url("**/_stcore/health")


def test_the_set_up_begins_with_few_controls_and_covers_nothing_that_it_changes(new: New) -> None:
    reader = new(Learner, 1366, 768).go("/").settle()
    panel = reader.page.locator(".st-key-setup")
    pressed = panel.locator("button, input").locator("visible=true")
    marks = panel.locator(".stTooltipIcon button, .stSelectbox button").locator("visible=true")  # of what is counted
    for width, height in ((1366, 768), (1024, 768), (390, 844)):
        reader.page.set_viewport_size({"width": width, "height": height})
        is_laid(reader.page)
        with named(width, height), reader.setting_up():
            expect(panel.get_by_label(say("setup.n_heads.label"), exact=True)).to_be_visible()
            eventually(lambda: pressed.count() - marks.count() <= 12, True)
            if width < 1000:
                column = reader.page.locator("[class*=-board] .cell[data-at^='attention_weights,1']")
                column = column.locator("visible=true").last
                column.scroll_into_view_if_needed()
                reader.page.get_by_test_id("stMain").evaluate("main => main.scrollBy(0, 300)")
            else:  # it stands beside all that there is
                column = reader.page.locator("[class*=-board] .spine .cell")
            eventually(lambda: all(column.evaluate_all(f"cells => cells.map({_ON_TOP})")), True)  # noqa: B023


_LINKS = """() => [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])]
  .flatMap(root => [...root.querySelectorAll('a[href]')])
  .filter(each => each.origin === location.origin && each.search).map(each => each.search.slice(1))"""


def test_no_link_of_a_page_opens_random_numbers_of_another_sentence(new: New) -> None:
    reader = new(Learner).go("/")
    page = reader.page
    for path in ("/", "/lesson", "/questions", "/questions?question=root&predictions=off", "/scaling?predictions=off",
                 "/compare", "/learn", "/model", "/history", "/costs", "/check", "/exercises"):  # fmt: skip
        reader.turn_to(path)
        at_rest(page, lambda: page.locator("*").count())
        links = page.evaluate(_LINKS)
        with named(path):
            assert [each for each in links if not names_its_sentence(each)] == []
            assert "scaling" not in path or any("d_out=" in each for each in links), "Scaling leads to Explore"
