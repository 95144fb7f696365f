"""Scripts as they are sent: joined and made short, they do what they did, with the sentences that they say."""

import asyncio
import json
import re
from hashlib import blake2s
from itertools import count
from pathlib import Path

import pytest
from httpx import ASGITransport, AsyncClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from streamlit.web.server.starlette.starlette_static_routes import create_streamlit_static_assets_routes

from attnviz.app.components.script_file import board_file, packed, plane_file
from attnviz.app.server import compression as server_packed
from attnviz.app.server import routes
from attnviz.app.server.compression import SendsPacked
from attnviz.app.server.page_html import soon
from attnviz.board.script import board_script, plane_script
from attnviz.scripts import joined, shortened
from attnviz.words import catalogue
from tests.examples import examples
from tests.node import ROOT, run_node

# The scripts that the app sends, each with all it imports: named by the component, or the page, that they belong to.
ENTRIES = [
    file for file in sorted(ROOT.glob("attnviz/**/*.js"))
    if "export default" in file.read_text() or file.name in ("long_link.js", "figure_page.js", "picture_page.js")
]  # fmt: skip


def written(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "entry.js"


@st.composite
def programs(draw: st.DrawFn) -> dict[str, str]:
    """Modules of which each imports some of those before it, all with the same names inside."""
    modules: dict[str, str] = {}
    for i in range(draw(st.integers(1, 6))):
        before = draw(st.lists(st.sampled_from(list(modules)), unique=True)) if modules else []
        lines, terms = [], [str(i)]
        for j, name in enumerate(before):
            lines.append(f'import {{ only{name[1:]} }} from "./{name}.js";')
            if draw(st.booleans()):
                lines.append(f'import {{ value as v{j}, add as add{j} }} from "./{name}.js";')
                terms.append(f"add{j}(v{j})")
            elif draw(st.booleans()):
                lines.append(f'import {{\n  steps as steps{j},\n  value as v{j},\n}} from "./{name}.js";')
                terms.append(f"v{j} + [...steps{j}()][0].length")
            else:
                lines.append(f'import * as all{j} from "./{name}.js";')
                terms.append(f"all{j}.value + all{j}.made.length + new all{j}.Kept().of")
        lines += [
            f"// import {{ nothing }} from './m{i}.js'; ${{",
            "/** @param {number} value\n * export const value\n */",
            f"export function add(value) {{ return value + {i}; }}",
            f"const hidden = () => `m{i} // ${{1 + 1}}`; // import",
            "export function* steps() { yield hidden(); }",
            "export async function later() { return 1; }",
            "export class Kept { constructor() { this.of = made.length; } }",
            f"export const made = [...steps()].concat(typeof later);  // {i}",
            f"export const only{i} = {' + '.join([f'only{b[1:]}' for b in before] + ['1'])};",
            f"export const value = 10 * ({' + '.join(terms)});",
        ]
        modules[f"m{i}"] = "\n".join(lines) + "\n"
    return modules


def test_joined_modules_give_what_the_engine_makes_of_them_apart(tmp_path: Path) -> None:
    """Some hundred programs in one process: each is imported as it stands, joined, and made short."""
    numbers = count()
    folders: list[str] = []

    @settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(programs())
    def write(modules: dict[str, str]) -> None:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        entry = [f'import * as {name} from "./{name}.js";' for name in modules]
        entry.append(f"const got = [{', '.join(f'{m}.value, {m}.made, {m}.only{m[1:]}' for m in modules)}];")
        entry.append("const only0 = 0;")
        entry.append("export default function main() { return got; }\n")
        text = joined(written(folder, **modules, entry="\n".join(entry)))
        (folder / "joined.js").write_text(text)
        (folder / "short.js").write_text(shortened(text))
        folders.append(str(folder))

    (tmp_path / "package.json").write_text('{"type": "module"}')
    write()
    script = tmp_path / "compare.js"
    script.write_text(
        """for (const folder of process.argv.slice(2)) {
          const forms = await Promise.all(["entry", "joined", "short"].map(name => import(`${folder}/${name}.js`)));
          for (const form of forms) console.log(JSON.stringify([form.default(), Object.keys(form)]));
        }"""
    )
    lines = run_node(script, *folders).splitlines()
    assert len(lines) == 3 * len(folders) >= 3 * examples(60)
    assert lines[::3] == lines[1::3] == lines[2::3]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.stem)
def test_no_module_exports_by_the_name_of_something_that_browsers_have(entry: Path) -> None:
    """In a joined script another module would have that in its place."""
    known = next(ROOT.glob("node_modules/@typescript/*/lib/lib.dom.d.ts")).read_text()
    browsers = set(re.findall(r"^declare (?:var|const|let|function) (\w+)", known, re.M))
    assert {"name", "parent", "Selection", "requestAnimationFrame"} <= browsers
    named = re.findall(
        r"^const \[(.*)\] = ",
        joined(entry, {"CONSTANTS": {}, "FETCHED": {}, "FIGURES": {}, "STYLE": "", "LETTERS": "", "PLANE": ""}),
        re.M,
    )
    assert not {name for names in named for name in names.split(", ")} & browsers


def test_what_python_sends_is_imported_as_a_module(tmp_path: Path) -> None:
    entry = written(tmp_path, entry='import { SAID } from "./sent.js";\nconsole.log(SAID.length, SAID);\n')
    said = "</script> \u2028 ` ${x} \\ \" '"
    (tmp_path / "joined.js").write_text(joined(entry, {"SAID": said}), encoding="utf-8")
    assert run_node(tmp_path / "joined.js") == f"{len(said)} {said}\n"
    with pytest.raises(ValueError, match=r"entry\.js imports SAID, which \./sent\.js doesn't export"):
        joined(entry, {"OTHER": 1})


def test_a_script_of_endless_modules_is_refused(tmp_path: Path) -> None:
    for i in range(220):
        (tmp_path / f"m{i}.js").write_text(f'import {{ a as b }} from "./m{i + 1}.js";\nexport const a = b;\n')
    (tmp_path / "m220.js").write_text("export const a = 1;\n")
    lines = [f'import {{ a as a{i} }} from "./m{i}.js";' for i in reversed(range(221))]
    with pytest.raises(ValueError, match="more than 200 modules"):
        joined(written(tmp_path, entry="\n".join(lines)))


AT_LEAST = {
    "app": {"explanation.made", "board.status.waiting", "summary.itself", "board.status.checked"},
    "model_page": {"models.view.most", "models.view.place"},
}
NEVER = {"app": {"lesson.heading", "what_if.title", "origins.number"}}


def given_and_code(entry: Path) -> tuple[dict[str, str | dict[str, str]], str]:
    text = joined(entry, {"CONSTANTS": {}, "FETCHED": {}, "FIGURES": {}, "STYLE": "", "LETTERS": "", "PLANE": ""})
    sent = re.search(r"^const \$sent = (.*);\n", text, re.M)
    if not sent:
        return {}, text
    rooms = json.loads(sent[1])["SENTENCES"]
    given = {f"{room}.{name}": each for room, of in rooms.items() for name, each in of.items()}
    return given, text.replace(sent[0], "")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.stem)
def test_a_script_has_every_sentence_that_it_says_and_they_are_the_catalogues(entry: Path) -> None:
    given, code = given_and_code(entry)
    said = set(re.findall(r"""["'`]([a-z_0-9]+(?:\.[a-z_0-9]+)+)["'`]""", code)) & set(catalogue())
    assert said <= set(given)
    assert AT_LEAST.get(entry.stem, set()) <= set(given)
    assert not NEVER.get(entry.stem, set()) & set(given), "sentences of other pages"
    called = set(re.findall(r"""\bsay\(\s*["'`]([a-z_0-9.]+)["'`]""", code))
    assert called <= set(given), "no key that the catalogue does not have"
    assert {key: catalogue()[key] for key in given} == given
    # Of keys that are put together every one is given, and nothing else.
    starts = set(re.findall(r"say\(\s*`([a-z_0-9.]+\.[a-z_0-9.]*)\$\{", code))
    assert entry.stem != "app" or starts >= {"explanation.line.", "typed.", "board.reads."}
    for start in starts:
        assert any(key.startswith(start) for key in given), start
    assert all(key in code or key.rsplit(".", 1)[0] + "." in code or key.split(".")[0] + "." in code for key in given)
    for template in given.values():
        for form in [template] if isinstance(template, str) else template.values():
            assert not re.search(r"\{\{|\}\}", form), "the script knows no doubled braces"


@pytest.fixture
def server() -> TestClient:
    return TestClient(Starlette(routes=routes()))


@pytest.mark.parametrize("base", ["", "/course", "/courses/attention"])
@pytest.mark.parametrize("takes", ["gzip, deflate, br", "identity"])
def test_it_is_served_under_the_name_of_what_it_holds_and_kept(server: TestClient, base: str, takes: str) -> None:
    answer = server.get(f"{base}/{board_file().address}", headers={"accept-encoding": takes})
    assert answer.text == shortened(board_script(f"./{plane_file().name}"))
    assert blake2s(answer.content, digest_size=10).hexdigest() in board_file().name
    assert answer.headers["content-type"].startswith("text/javascript"), "a browser runs nothing else as a module"
    assert {"public", "immutable"} <= set(answer.headers["cache-control"].split(", "))
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers.get("content-encoding") == ("gzip" if "gzip" in takes else None)
    assert int(answer.headers["content-length"]) == len(board_file().packed if "gzip" in takes else board_file().text)


def test_packed_it_is_light() -> None:
    """With what it fetches later, on first need."""
    assert len(board_file().packed) <= 90_000, "bytes"
    assert len(plane_file().packed) <= 36_000, "bytes"


def test_what_the_board_fetches_later_stands_beside_it(server: TestClient) -> None:
    assert f'"./{plane_file().name}"' in board_file().text.decode()
    assert server.get(f"/{plane_file().address}").text == shortened(plane_script())


@pytest.mark.parametrize("base", ["", "/course"])
@pytest.mark.parametrize("takes", ["gzip, br", "identity"])
def test_streamlits_scripts_hold_packed_what_it_sends(base: str, takes: str) -> None:
    served = create_streamlit_static_assets_routes(base_url=base)
    plain, ours = (TestClient(Starlette(routes=served, middleware=w)) for w in ([], [Middleware(SendsPacked)]))
    scripts = re.findall(r"/static/(?:js|css)/[^\"]+", plain.get(f"{base}/").text)
    assert len(scripts) > 20
    for script in scripts:
        sent, packed = (each.get(base + script, headers={"accept-encoding": takes}) for each in (plain, ours))
        assert packed.content == sent.content
        assert packed.headers["content-type"].split(";")[0] == sent.headers["content-type"].split(";")[0]
        assert packed.headers.get("content-encoding") == ("gzip" if "gzip" in takes else None)
        assert "content-encoding" not in sent.headers, "Streamlit packs its scripts: server/compression.py can go"


def test_a_script_is_packed_once_though_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    made = count()
    monkeypatch.setattr(server_packed, "packed", lambda text: (next(made), packed(text))[1])
    ours, path = SendsPacked(Starlette()), f"/static/{next(iter(server_packed._files()))}"

    async def ask() -> None:
        async with AsyncClient(transport=ASGITransport(ours), base_url="http://testserver") as client:
            await asyncio.gather(*(client.get(path) for _ in range(8)))

    asyncio.run(ask())
    assert next(made) == 1


@pytest.mark.parametrize("name", ["board.00000000000000000000.js", "board.js", "board.js.map"])
def test_of_another_version_it_is_not_here_and_nobody_keeps_that(server: TestClient, name: str) -> None:
    answer = server.get(f"/scripts/{name}")
    assert answer.status_code == 404
    assert answer.headers["cache-control"] == "no-store"


def test_the_page_tells_the_browser_of_the_very_file_that_the_board_asks_for() -> None:
    assert f'"{board_file().address}"' in board_file().fetched
    assert f'href="{board_file().address}"' in soon("/", b"").decode()
