"""The whole set-up lives in the address: reload, Back, page change and a copied link keep it."""

from collections.abc import Callable

from tests.browser.playground import PUBLISHED_CONTEXT_OF_JOURNEY, Playground, eventually

EDITED = ["0.4306", "1.6659"]


def test_reload_keeps_the_set_up_and_the_edits(playground: Playground) -> None:
    playground.edit(0, 1, 0.9).shows("q", "journey", EDITED)
    playground.switch("Causal mask").shows("attention_weights", "Your", ["1.0000"] + ["–"] * 5)
    playground.pick("starts").says("'starts' attends most to ")
    eventually(lambda: playground.address, "?causal=true&edits=w_q.0.1.0.9&query=2")
    playground.page.reload()
    playground.settle().shows("q", "journey", EDITED)
    playground.shows("attention_weights", "Your", ["1.0000"] + ["–"] * 5)
    playground.says("W_q[0, 1]: 0.5166 → 0.9000")
    eventually(lambda: playground.outlined("scores"), ["starts"])
    playground.edit(2, 0, -1).shows("q", "journey", ["−0.2782", "1.6659"])


def test_leaving_for_another_site_and_coming_back_keep_the_set_up(playground: Playground) -> None:
    playground.set_number("Seed", 789).choose("Initialization", "linear")
    playground.shows("context", "journey", ["−0.0748", "0.0703"])
    eventually(lambda: playground.address, "?init=linear&seed=789")
    playground.page.goto(f"{playground.server}/_stcore/health")
    playground.page.go_back()
    playground.settle().shows("context", "journey", ["−0.0748", "0.0703"])


def test_back_takes_an_edit_back_and_forward_brings_it_again(playground: Playground) -> None:
    playground.edit(0, 1, 0.9).shows("q", "journey", EDITED)
    eventually(lambda: playground.address, "?edits=w_q.0.1.0.9")
    playground.page.go_back()
    playground.shows("q", "journey", ["0.4306", "1.4551"])
    playground.page.go_forward()
    playground.shows("q", "journey", EDITED)


def test_another_page_and_back_keep_the_set_up_and_the_edits(playground: Playground) -> None:
    playground.type_sentence("one journey").shows("q", "journey", ["0.4306", "1.4551"])
    playground.edit(0, 1, 0.9).shows("q", "journey", EDITED)
    playground.go_to("Scaling").page.wait_for_url("**/scaling*")
    playground.page.get_by_label("Sentence", exact=True).wait_for()
    playground.page.go_back()
    eventually(lambda: playground.labels("q"), ["one", "journey"])
    playground.shows("q", "journey", EDITED)
    playground.go_to("Scaling").page.wait_for_url("**/scaling*")
    playground.go_to("Playground")
    eventually(lambda: playground.labels("q"), ["one", "journey"])
    playground.shows("q", "journey", EDITED)


def test_a_copied_link_shows_someone_else_the_same(new_reader: Callable[..., Playground]) -> None:
    sender, receiver = new_reader().open(), new_reader()
    sender.choose("Initialization", "linear").set_number("Seed", 789)
    sender.shows("context", "journey", ["−0.0748", "0.0703"])
    sender.look_at("W_v").press("Identity").says("W_v: identity")
    sender.shows("v", "journey", ["0.5500", "0.8700"])
    eventually(lambda: sender.address, "?init=linear&seed=789&edits=w_v.identity")
    receiver.page.goto(sender.server + "/" + sender.link)
    receiver.settle()
    assert [receiver.cells(name) for name in ("v", "context")] == [sender.cells(name) for name in ("v", "context")]


def test_two_readers_at_once_see_their_own_numbers(new_reader: Callable[..., Playground]) -> None:
    one, other = new_reader().open(), new_reader().open(seed=789, init="linear")
    other.shows("context", "journey", ["−0.0748", "0.0703"])
    one.edit(0, 1, 0.9)
    other.press("Zeros").shows("q", "journey", ["0.0000", "0.0000"])
    one.shows("q", "journey", EDITED)
    one.press("Start over").shows("context", "journey", PUBLISHED_CONTEXT_OF_JOURNEY)
    other.shows("q", "journey", ["0.0000", "0.0000"])


def test_what_a_link_cannot_be_is_said_once_and_falls_back(new_reader: Callable[..., Playground]) -> None:
    playground = new_reader().open(d_in="abc", d_out="5.5", seed="1e3", device="cuda:9")
    playground.shows("context", "journey", PUBLISHED_CONTEXT_OF_JOURNEY)
    playground.says("The link was not taken as it is")
    eventually(lambda: playground.address, "")
    playground.switch("Causal mask").shows("attention_weights", "Your", ["1.0000"] + ["–"] * 5)
    eventually(lambda: playground.page.get_by_test_id("stAlert").count(), 0)
