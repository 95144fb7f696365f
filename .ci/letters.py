"""Makes attnviz/documents/letters/attnviz-letters.woff2: the app's font, cut to Latin and the signs of formulas.

    pip install fonttools brotli
    python .ci/letters.py .venv/lib/python3.11/site-packages/streamlit/static/static/media/SourceSansVF-Upright*.woff2

It keeps the weights from 400 to 700, and digits of equal width. The font's license forbids a changed font to have the
name of the original.
"""

import io
import sys
from pathlib import Path

from fontTools import subset  # type: ignore[import-not-found]
from fontTools.ttLib import TTFont  # type: ignore[import-not-found]
from fontTools.varLib import instancer  # type: ignore[import-not-found]

ROOT = Path(__file__).parents[1] / "attnviz"
NAMES = {1: "Attnviz Letters", 4: "Attnviz Letters", 6: "AttnvizLetters"}


def main(source: str) -> None:
    texts = [
        file.read_text("utf-8")
        for kind in ("words/**/*.toml", "board/**/*.js", "core/**/*.py")
        for file in ROOT.glob(kind)
    ]
    signs = {ord(letter) for text in texts for letter in text if letter > "~"}
    options = subset.Options(layout_features=["kern", "tnum", "lnum", "ccmp", "locl", "mark"], hinting=False)
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes={*range(0x20, 0x7F), *range(0xA0, 0x180)} | signs)
    font = TTFont(source)
    cutter.subset(font)
    whole = io.BytesIO()
    font.flavor = None
    font.save(whole)
    whole.seek(0)
    cut = instancer.instantiateVariableFont(TTFont(whole), {"wght": (400, 400, 700)})
    for record in cut["name"].names:
        record.string = NAMES.get(record.nameID, record.string)
    cut.flavor = "woff2"
    cut.save(ROOT / "documents" / "letters" / "attnviz-letters.woff2")


main(sys.argv[1])
