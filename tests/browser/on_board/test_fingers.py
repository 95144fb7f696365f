"""On a telephone, a finger finds at least 28 pixels from top to bottom wherever it can press, on every page."""

from playwright.sync_api import expect

from attnviz.app.entry.main import DOORS, HIDDEN
from attnviz.core.stages import STAGES
from attnviz.words import say
from tests.browser.lesson import Learner
from tests.browser.playground import at_rest, eventually, named
from tests.browser.readers import New

FINGER = 28
PAGES = (
    "/", "/?view=heatmaps", "/lesson", "/lesson?step=softmax", "/questions", "/questions?question=values",
    "/compare", "/model", "/learn", "/history", "/costs", "/scaling", "/check",
)  # fmt: skip
# What is lower: from its middle, pixels are pressed upwards and downwards until something else is there.
# A number in a running text is as high as its line, and a slider is wherever its line is.
_LOW = """least => {
  const all = root => [...root.querySelectorAll('*')]
    .flatMap(each => [each, ...(each.shadowRoot ? all(each.shadowRoot) : [])]);
  const pressed = 'a[href], button, summary, input:not([type=range]), select, textarea, [role=tab], [role=radio]';
  const at = (x, y) => {
    let found = document.elementFromPoint(x, y);
    for (let inner; (inner = found?.shadowRoot?.elementFromPoint(x, y)) && inner !== found;) found = inner;
    return found;
  };
  const within = (inner, outer) => {
    for (let each = inner; each; each = each.parentNode ?? each.host) if (each === outer) return true;
    return false;
  };
  const highOf = each => {
    each.scrollIntoView({block: 'center'});
    const {left, top, width, height} = each.getBoundingClientRect();
    const own = [each, ...(each.labels ?? [])];
    const hits = y => own.some(one => within(at(left + width / 2, y), one));
    let [up, down] = [0, 0];
    while (up < least && hits(top + height / 2 - up - 0.5)) up += 1;
    while (down < least && hits(top + height / 2 + down + 0.5)) down += 1;
    return up + down;
  };
  const seen = all(document).filter(each => {
    if (!each.matches(pressed) || each.disabled || each.closest('p, li')) return false;
    if (!each.checkVisibility({opacityProperty: true, visibilityProperty: true})) return false;
    const {left, right, width, height} = each.getBoundingClientRect();
    return width > 3 && height > 0 && height < least && right > 0 && left < innerWidth;
  });
  const low = seen.map(each => [each, highOf(each)]).filter(([, high]) => high < least);
  return low.map(([each, high]) => `${each.getAttribute('aria-label') ?? each.textContent}: ${high}`);
}"""


def test_a_finger_finds_all_that_can_be_pressed(new: New) -> None:
    reader = new(Learner, 390, 844, touched=True)
    reader.page.goto(reader.server)
    reader.settle()
    for path in PAGES:
        reader.turn_to(path)
        reader.page.locator(".st-key-foot").wait_for()
        at_rest(reader.page, lambda: reader.page.locator("*").count())
        with named(path):
            eventually(lambda: reader.page.evaluate(_LOW, FINGER), [])
        if path.endswith("heatmaps"):
            reader.chart("w_q").locator(".title").tap()
            expect(reader.page.locator(".st-key-playground-heatmaps .tip")).to_have_text(STAGES["w_q"].plain)


def test_a_finger_finds_the_set_up_and_the_names_of_the_pages(new: New) -> None:
    reader = new(Learner, 390, 844, touched=True)
    reader.page.goto(reader.server)
    reader.settle()
    reader.setup_button.click()
    reader.page.get_by_label("Seed", exact=True).wait_for()
    eventually(lambda: reader.page.evaluate(_LOW, FINGER), [])
    reader.setup_button.click()
    menu, name = reader.page.get_by_test_id("stExpandSidebarButton"), reader.page.locator(".st-key-name h1")
    (left, right) = (each.bounding_box() for each in (menu, name))
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    menu.click()
    pages = [say(f"app.{page}.title") for door in DOORS.values() for page in door if page not in HIDDEN]
    expect(reader.page.get_by_test_id("stSidebarNavLink")).to_have_text(pages)
    for door in filter(None, DOORS):
        expect(reader.page.get_by_test_id("stSidebarNav")).to_contain_text(say(f"app.doors.{door}"))
    eventually(lambda: reader.page.evaluate(_LOW, FINGER), [])
    reader.page.get_by_role("link", name=say("app.questions.title")).tap()
    reader.page.wait_for_url("**/questions*")
    expect(reader.page.get_by_test_id("stSidebar")).not_to_be_in_viewport()  # it lay over the page that was chosen
