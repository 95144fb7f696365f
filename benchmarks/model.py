"""A real model: all its heads at a glance, on the page and as offline pages beside the field's, and a class of readers.

inspectus and bertviz are measured where they are installed.
"""

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from types import ModuleType
from typing import Any
from urllib.parse import quote_plus

import torch
from playwright.sync_api import Browser, Page
from streamlit.proto.WidgetStates_pb2 import WidgetState

from attnviz.documents import model_page
from attnviz.features.language_models.inside import STORIES, ModelTrace, Sampling, look_into
from attnviz.features.language_models.inside.writing import appended
from attnviz.features.stories.grammar import World, stories
from attnviz.words import say
from benchmarks.browser import detail, in_page, launched, tab
from benchmarks.clients.client import Client, connected
from benchmarks.clients.servers import OURS, Server, serving
from benchmarks.rows import Row, p95

LOADS = 5
READERS, ROUNDS, PACE = 25, 6, 5.0  # each reader changes the sentence once in so many seconds
SENTENCES, SETTLED, FLAT_MIB = 500, 100, 40
LONG_MIB = 1536  # that long texts may take at once: 512 are kept, and some are read or drawn
THIRTY_TWO = " ".join(["the cat sat on a mat"] * 5)  # and the two tokens around it


def run() -> list[Row]:
    """Measure offline pages first, then the page, then a class."""
    rows = []
    with launched() as browser:
        rows += _documents(browser)
        with serving(OURS) as server:
            rows += _page(browser, server)
        rows += _writing(browser)
    for measure in (_class, _long_texts):
        with serving(OURS) as server:
            rows += asyncio.run(measure(server))
    return rows


def _page(browser: Browser, server: Server) -> list[Row]:
    """Open the included model's 6 x 12 heads of 32 tokens, and have it read another sentence: from the message with the
    numbers to the painted grid."""
    waits: dict[str, list[float]] = {"on a page that opens": [], "of another sentence": []}
    for at in range(LOADS + 1):
        page = tab(browser)
        page.add_init_script(in_page("model.js") + "\nwindow.modelBench.wanted = 72;")
        page.goto(f"http://{server.address}/model?model_text={THIRTY_TWO.replace(' ', '+')}")
        opened = _drawn(page)
        page.locator("[data-test-script-state=notRunning]").wait_for(timeout=60_000)
        page.wait_for_timeout(1000)
        page.evaluate("modelBench.again()")
        field = page.get_by_label(say("models.page.sentence"), exact=True).filter(visible=True)  # not the set-up's
        field.fill(f"{THIRTY_TWO.rpartition(' ')[0]} rug number {at}".replace(" cat sat", " dog ran", at + 1))
        field.press("Enter")
        changed = _drawn(page)
        if at > 0:  # the first reader waits for the model
            waits["on a page that opens"].append(opened)
            waits["of another sentence"].append(changed)
        page.context.close()
    return [
        detail(f"numbers of 6 x 12 heads of 32 tokens to their picture, {what}", each)._replace(target="<= 250 ms")
        for what, each in waits.items()
    ]


def _writing(browser: Browser) -> list[Row]:
    """Append words at 64 tokens to what the model of stories reads: how long its numbers take, and from the press to
    the painted grid of all heads."""
    ((words, _),) = stories(1, torch.Generator().manual_seed(0), World(), 64)
    text = " ".join([*words[1:], *words[1:]][:63])
    view, numbers, waits = look_into(STORIES, text=text), [], []
    for at in range(LOADS + 1):
        began = perf_counter()
        longer = appended(view, [at % 5])
        Sampling().chances(longer)
        numbers += [1000 * (perf_counter() - began)] if at > 0 else []
    with serving(OURS) as server:
        page = tab(browser)
        page.add_init_script(in_page("model.js") + f"\nwindow.modelBench.wanted = {len(view.heads)};")
        page.goto(f"http://{server.address}/model?model={STORIES}&model_text={quote_plus(text)}")
        _drawn(page)
        for at in range(LOADS + 1):
            page.locator("[data-test-script-state=notRunning]").wait_for(timeout=60_000)
            page.wait_for_timeout(1000)
            page.evaluate("modelBench.again()")
            began = float(page.evaluate("performance.now()"))
            page.locator(".next .row").first.dispatch_event("click")
            _drawn(page)
            waits += [float(page.evaluate("modelBench.drawn")) - began] if at > 0 else []
        page.context.close()
    return [
        detail("a word appended at 64 tokens, to its numbers", numbers)._replace(target="<= 100 ms"),
        detail("a word appended at 64 tokens, from the press to the picture", waits)._replace(target="<= 250 ms"),
    ]


def _drawn(page: Page) -> float:
    """Wait for a picture; return the milliseconds since its numbers came."""
    page.wait_for_function("modelBench.drawn > 0", timeout=120_000)
    came, drawn = page.evaluate("[modelBench.came, modelBench.drawn]")
    assert 0 < came < drawn, "the numbers come before their picture"
    return float(drawn - came)


def _documents(browser: Browser) -> list[Row]:
    """Open offline pages of 12 x 12 heads of 32 tokens, and of one head of 512."""
    rows = []
    for layers, heads, tokens, most in ((12, 12, 32, 250), (1, 1, 512, 600)):
        view = _view(layers, heads, tokens)
        makers: dict[str, Callable[[ModelTrace], str]] = {"ours": model_page}
        makers |= {name: make for name, make in FIELD.items() if find_spec(name)}
        for name, make in makers.items():
            waits, pictured = _opened(browser, make(view))
            what = f"{layers} x {heads} heads of {tokens} tokens as an offline page, {name}"
            row = detail(what, waits) if pictured else Row(what, "nothing drawn without a network")
            rows.append(row._replace(target=f"<= {most} ms") if name == "ours" else row)
    return rows


def _opened(browser: Browser, page_text: str) -> tuple[list[float], bool]:
    """Open a page several times, until nothing of it changes any more; return the milliseconds, and whether it shows
    a picture at all."""
    waits, pictured = [], False
    with TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(page_text, encoding="utf-8")
        for at in range(LOADS + 1):
            page = tab(browser)
            page.add_init_script(in_page("model.js"))
            page.goto(file.as_uri())
            page.wait_for_function(
                "modelBench.changed && performance.now() - modelBench.changed > 700", timeout=120_000
            )
            if at > 0:
                waits.append(float(page.evaluate("modelBench.changed")))
            pictured = bool(page.evaluate("document.querySelectorAll('canvas, svg *').length"))
            page.context.close()
    return waits, pictured


def _view(layers: int, heads: int, n_tokens: int) -> ModelTrace:
    """What an untrained model of this shape makes of so many tokens: only its size counts here."""
    module = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(8 * heads, heads, 16, batch_first=True), layers, enable_nested_tensor=False
    ).eval()
    x = torch.randn(n_tokens, 8 * heads, generator=torch.Generator().manual_seed(0))
    return look_into(module, 3 * x, tokens=[f"word{i}" for i in range(n_tokens)])


def _weights(view: ModelTrace) -> list[torch.Tensor]:
    return [layer.weights[None] for layer in view.layers]


def _bertviz(view: ModelTrace) -> str:
    with notebook([]):
        package: Any = import_module("bertviz")
        return str(package.model_view(_weights(view), list(view.tokens), html_action="return").data)


def _inspectus(view: ModelTrace) -> str:
    shown: list[str] = []
    with notebook(shown):
        package: Any = import_module("inspectus")
        package.attention(_weights(view), list(view.tokens))
    return "<!DOCTYPE html><html><body>" + "\n".join(shown) + "</body></html>"


FIELD = {"inspectus": _inspectus, "bertviz": _bertviz}


@contextmanager
def notebook(shown: list[str]) -> Iterator[None]:
    """Stand in for IPython, of which these packages need the two names by which they show a page."""

    class HTML(str):
        data = property(str)

    package, display = ModuleType("IPython"), ModuleType("IPython.display")
    display.__dict__.update(HTML=HTML, Javascript=HTML, display=lambda *each: shown.extend(map(str, each)))
    package.__dict__.update(display=display, get_ipython=lambda: None)
    before = {name: sys.modules.get(name) for name in ("IPython", "IPython.display", "IPython.core.display")}
    sys.modules.update({"IPython": package, "IPython.display": display, "IPython.core.display": display})
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


async def _class(server: Server) -> list[Row]:
    """Let one reader type sentences alone, then 25 at once; then one 500 of them, while the memory is looked at."""
    async with connected(server.address, "model_text=a+cat") as client:
        await client.open_page("model")
        await type_sentence(client, "the first sentence")  # the model is there now
        alone = [await type_sentence(client, f"alone a cat sat on mat number {i} and slept") for i in range(12)]
        together, lost = await _together(server)
        opening, lost_then = await _together(server, opening=True)
        memory = {}
        for i in range(SENTENCES + 1):
            await type_sentence(client, f"sentence number {i} is about a cat on mat {i * 7} and a dog")
            if i in (SETTLED, SENTENCES):
                memory[i] = server.memory_mib()
        lost += lost_then + client.lost
    ratio, first, last = p95(together) / median(alone), memory[SETTLED], memory[SENTENCES]
    who = f"{READERS} readers, a sentence each in {PACE:.0f} s"
    rows = [
        Row(f"{who}, p95 / one reader's median", f"{ratio:.2f}", "<= 3"),
        detail(f"{who}, a sentence to all its heads", [1000 * each for each in together]),
        detail(f"{who}, the first of them while others open the page", [1000 * each for each in opening]),
        detail("one reader alone, a sentence to all its heads", [1000 * each for each in alone]),
        Row(f"{who}, answers lost", str(lost), "<= 0"),
    ]
    if first is not None and last is not None:
        what = f"memory that sentences {SETTLED} to {SENTENCES} add to {first:.0f} MiB"
        rows.append(Row(what, f"{last - first:.0f} MiB", f"<= {FLAT_MIB} MiB"))
    return rows


async def _long_texts(server: Server) -> list[Row]:
    """Let a class read as many tokens as the model has places for, each a text of their own, at once."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(server.address, patience=120)) for _ in range(READERS)]
        for client in clients:
            await client.open_page("model")
        before, largest = server.memory_mib(), 0.0

        async def read(place: int) -> float:
            text = f"{place} " + "the cat saw a dog that ran " * 72 + "and slept soon now"
            return await type_sentence(clients[place], text)

        reading = asyncio.gather(*(read(place) for place in range(READERS)))
        while not reading.done():
            largest = max(largest, server.memory_mib() or 0.0)
            await asyncio.sleep(0.1)
        took = await reading
        lost = sum(client.lost for client in clients)
    who = f"{READERS} readers of 510 tokens each at once"
    rows = [
        detail(f"{who}, a text to all its heads", [1000 * each for each in took]),
        Row(f"{who}, answers lost", str(lost), "<= 0"),
    ]
    if before is not None:
        rows.append(Row(f"{who}, memory beside {before:.0f} MiB", f"{largest - before:.0f} MiB", f"<= {LONG_MIB} MiB"))
    return rows


async def _together(server: Server, *, opening: bool = False) -> tuple[list[float], int]:
    """Let a class type, once the page is open for all; or, `opening`, each as soon as it is open for that one."""
    there = asyncio.Barrier(1 if opening else READERS)

    async def read(place: int) -> tuple[list[float], int]:
        async with connected(server.address, "model_text=a+dog") as client:
            await client.open_page("model")
            await there.wait()
            await asyncio.sleep(PACE * place / READERS)
            took = []
            for i in range(ROUNDS):
                took.append(await type_sentence(client, f"reader {place} has a cat that sat on mat {i} and slept"))
                await asyncio.sleep(max(0.0, PACE - took[-1]))
            return took, client.lost

    found = await asyncio.gather(*(read(place) for place in range(READERS)))
    return [each for took, _ in found for each in took], sum(lost for _, lost in found)


async def type_sentence(client: Client, text: str) -> float:
    """Type a sentence; return the seconds until all its heads have been sent."""
    field: Any = next(each for each in client.elements("text_input") if each.id.endswith("-model.sentence"))
    fragment = client.fragment_of("text_input", "model.sentence")  # which a browser runs again
    return await client.rerun(WidgetState(id=field.id, string_value=text), fragment=fragment)
