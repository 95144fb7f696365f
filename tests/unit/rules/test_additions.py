"""A kind of each sort, a stage of every rule and a statistic are added in one place each, and nothing is forgotten.

In a copy of the package, rows stand in the tables and their words in the catalogue, and nothing else is changed. The
files of `additions` are then run there: they walk all places that list such things.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from attnviz import Scenario, trace
from attnviz.core.constraints import CONSTRAINTS
from attnviz.core.limits import Kinds, in_short
from attnviz.core.masks import MASKS, USES
from attnviz.core.seeding import EMBEDDINGS, INITIALIZATIONS, POSITIONS
from attnviz.core.stages import BLOCKS, WEIGHTINGS
from attnviz.core.tokens import TOKENIZERS
from attnviz.core.what_if import SWITCHES
from attnviz.export import pytorch_script

ROOT = Path(__file__).parents[3]
WORDS = "attnviz/words/en"
COPIED = ("attnviz", "pages", "tests", "docs", "app.py", "pyproject.toml", "README.md")
SECONDS = 300


def choice(name: str, called: str) -> str:
    """Return the words of a choice in the set-up."""
    return f'choices.{name} = {{ called = "{called}", means = "It means {called}." }}\n'


# What is added: after which line of which file, and the row.
INITIALIZATION = (
    (
        "attnviz/core/seeding/weights.py",
        r"INITIALIZATIONS: .*?\n",
        "        Initialization(\n"
        '            "halved", "torch.rand",\n'
        "            lambda room, d_in, generator: room.uniform_(0, 0.5, generator=generator),\n"
        '            lambda d_in: (1 / 4, 1 / 48), then=" / 2",\n'
        "        ),\n",
    ),
    (WORDS + "/setup.toml", r"\[init\]\n", choice("halved", "half of torch.rand")),
)
STATISTIC = (
    (
        "attnviz/explanation/row_statistics.py",
        r"STATISTICS = \(\n(    Statistic.*?\n)*",
        '    Statistic("weight_beside", lambda rows: rows.rest),\n',
    ),
    (
        "attnviz/features/scaling/words/en/scaling.toml",
        r"\[curve\]\n",
        'weight_beside = "What the largest leaves to the others"\n',
    ),
    (
        "attnviz/features/sweeps/experiment.py",
        r"averages over softmax rows: ",
        "`weight_beside`, what the largest leaves; ",
    ),
)
# A kind of mask, in which no token reads one at an even distance before it.
MASK = (
    (
        "attnviz/core/masks.py",
        r"MASKS: .*?\n",
        '    MaskKind("striped", lambda before, after, size: (before > 0) & (before % 2 == 0),\n'
        "             (_ZEROS, 'for query in range(2, len(tokens)):',\n"
        "              '    mask[query, ({kept} + query) % 2 : {kept} + query : 2] = float(\"-inf\")'),\n"
        '             (("striped", lambda before, after, size: (before > 0) & (before % 2 == 0)),)),\n',
    ),
    (WORDS + "/setup.toml", r"\[masking\]\n", choice("striped", "every second one")),
    (WORDS + "/explanation.toml", r"\[hidden\]\n", 'striped = "{key} stands at an even distance before {query}"\n'),
    (WORDS + "/explanation.toml", r"\[of_mask\]\n", 'striped = "of a mask of stripes"\n'),
)
TOKENIZER = (
    (
        "attnviz/core/tokens.py",
        r"TOKENIZERS: .*?\n",
        '    Tokenizer("commas", lambda text: (each for each in text.split(",") if each), joint=","),\n',
    ),
    (WORDS + "/setup.toml", r"\[tokenizer\]\n", choice("commas", "what stands between commas")),
)
POSITION = (
    (
        "attnviz/core/seeding/places.py",
        r"POSITIONS: .*?\n",
        '    Position("counted", lambda n, d_in, seed: torch.arange(n).float()[:, None].expand(n, d_in).clone(),'
        " code=(\n"
        '        "{made} = torch.arange({n}).float()[:, None].expand({n}, d_in){cut}",\n'
        "    )),\n",
    ),
    (WORDS + "/setup.toml", r"\[positions\]\n", choice("counted", "0, 1, 2 and so on")),
    (
        WORDS + "/summary.toml",
        r"\[positions\]\n",
        'counted = "Their places are counted."\ncounted_beside = "Those of {name} are counted."\n'
        'counted_origin = "the number of its place, {row}"\n',
    ),
)
SWITCH = (
    (
        "attnviz/core/what_if.py",
        r"SWITCHES: .*?\n",
        '    _switch("halving", "scaled_scores", Option(\n'
        '        "twice", lambda made: made._replace(rule=replace(made.rule, temperature=2.0)),'
        ' ("scaled_scores",))),\n',
    ),
    (
        WORDS + "/what_if.toml",
        r"usual = [^\n]*\n",
        '\n[halving]\ntwice.choice = "twice"\n'
        'twice.note = "Not what attention does: scores are halved."\ntwice.more = "Scores are halved once more."\n',
    ),
    (
        "attnviz/features/explore/words/en/what_if.toml",
        r"refused = [^\n]*\n",
        '\n[halving]\nlabel = "How scores are halved"\ntwice.act = "÷ 2"\n'
        '[predict.wrong.halving_twice]\nsame = "Scores are halved."\nalike = "Halves share alike."\n'
        'turned = "Halves are closer."\n',
    ),
)
RULE = (
    (
        "attnviz/core/rules/cellwise.py",
        r'in_code = "\{0\} \+ \{1\}"\n(.*\n)*?\n\n',
        "@dataclass(frozen=True)\nclass Halved(Rule):\n"
        '    """Half of each number."""\n\n'
        '    name, in_formulas, in_code = "halved", "{0} / 2", "{0} / 2"\n\n'
        "    def compute(self, *sources: Tensor) -> Tensor:\n        return sources[0] / 2\n\n"
        "    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:\n        (x,) = sources(1)\n"
        '        words = sentence("explanation.halved.words", number=x.named())\n'
        '        return (Piece(x[I, J] / number(2.0), (x.name(), " / 2"), (words,), roundings=2),)\n\n\n',
    ),
    ("attnviz/core/rules/__init__.py", r"cellwise import ", "Halved, "),
    ("attnviz/core/rules/__init__.py", r'"GELU", ', '"Halved", '),
    (WORDS + "/explanation.toml", r"\n(?=\[hidden\]\n)", '[halved]\nwords = "{number} is halved."\n'),
)
# A second stage of each rule: name, symbol, rows, columns, colours, rule, sources.
STAGES = (
    ("mixed_twice", "Mt", "query", "feature", "vectors", "Product()", ("attention_weights", "context")),
    ("compared", "Mc", "query", "key", "scores", "Product(transposed=True)", ("mixed_twice", "context")),
    ("warmed", "Mw", "query", "key", "scores", "Scale(None, 2.0)", ("compared",)),
    ("kept_near", "Mk", "query", "key", "scores", "Cap(2.0)", ("warmed",)),
    ("shared_out", "Ms", "query", "key", "attention", "Softmax()", ("warmed",)),
    ("summed", "Ma", "query", "feature", "vectors", "Add()", ("context", "mixed_twice")),
    ("in_halves", "Mh", "query", "feature", "vectors", "Halved()", ("summed",)),
    ("cut_off", "Mr", "query", "feature", "vectors", "ReLU()", ("summed",)),
    ("curved", "Mg", "query", "feature", "vectors", "GELU()", ("summed",)),
    ("cut_out", "Ml", "query", "feature", "vectors", "Slice(0, 1)", ("summed",)),
    ("side_by_side", "Mn", "query", "feature", "vectors", "Concatenate()", ("summed", "curved")),
    ("turned", "Mo", "query", "feature", "vectors", "Rotate()", ("side_by_side",)),
)
STAGE = (
    (
        "attnviz/core/stages/attending.py",
        r'            row\("context", "C", .*?Product\(\), \("attention_weights", "v"\)[^\n]*\),\n',
        "".join(
            f"            row({name!r}, {symbol!r}, {rows!r}, {columns!r}, {colours!r}, {rule}, {sources!r}),\n"
            for name, symbol, rows, columns, colours, rule, sources in STAGES
        ),
    ),
    (
        "attnviz/core/stages/attending.py",
        r'\A"""[^\n]*\n\n',
        "from attnviz.core.rules import GELU, Add, Cap, Concatenate, Halved, Product, ReLU, Rotate, Scale, Slice\n"
        "from attnviz.core.rules import Softmax\n",
    ),
    (
        WORDS + "/stages.toml",
        r"\A(#[^\n]*\n)*",
        "".join(
            f'\n[{name}]\ntitle = "Made-up {name}"\nplain = "It is made up."\naxes = "Its rows are made up, too."\n'
            f'short = "made up"\nmeaning = "a made-up matrix"\n'
            for name, *_ in STAGES
        ),
    ),
)


def grown(folder: Path, additions: tuple[tuple[str, str, str], ...]) -> Path:
    """Return a copy of the package with these rows."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("*.png"))
        else:
            shutil.copy(source, folder / name)
    for file, place, row in additions:
        text = (folder / file).read_text(encoding="utf-8")
        found = list(re.finditer(place, text))
        assert len(found) == 1, f"{file}: where a row is added was found {len(found)} times: {place}"
        at = found[0].end()
        (folder / file).write_text(text[:at] + row + text[at:], encoding="utf-8")
    return folder


def test_what_is_added_in_one_place_is_everywhere(tmp_path: Path) -> None:
    """All in one copy: to start Python, torch and Streamlit anew takes longer than what is walked then."""
    folder = grown(tmp_path, (*INITIALIZATION, *STATISTIC, *RULE, *STAGE, *MASK, *TOKENIZER, *POSITION, *SWITCH))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PYTHONPATH": str(folder), "ATTNVIZ_ADDED": "1"}
    walks = sorted(str(file.relative_to(folder)) for file in folder.glob("tests/unit/rules/additions/of_*.py"))
    assert len(walks) == 3
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *walks],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
        timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.mark.parametrize("kinds", [
    MASKS, USES, POSITIONS, TOKENIZERS, INITIALIZATIONS, EMBEDDINGS, SWITCHES, BLOCKS, WEIGHTINGS, CONSTRAINTS,
], ids=lambda kinds: kinds.setting)  # fmt: skip
def test_an_unknown_kind_raises_and_names_those_that_there_are(kinds: Kinds[Any]) -> None:
    names: tuple[Any, ...] = ("nothing", "", None, 3, ["causal"])
    for name in names:
        with pytest.raises(ValueError, match=next(iter(kinds))) as caught:
            kinds[name]
        assert in_short(name) in str(caught.value)
        assert kinds.setting in str(caught.value)
        assert name not in kinds


def test_no_mask_is_drawn_or_written_for_an_unknown_kind() -> None:
    scenario = Scenario("a b")
    object.__setattr__(scenario, "masking", "diagonal")  # past what checks it
    for use in (lambda: scenario.mask_kind, lambda: pytorch_script(scenario), lambda: trace(scenario)):
        with pytest.raises(ValueError, match="'diagonal' can't be masking"):
            use()
