"""A class whose hand-ins have known slips: computed by plain numpy, and written as people write."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode
from xml.sax.saxutils import escape

import numpy as np

from attnviz.features.check.exercises.exercise import RESULTS, Exercise
from attnviz.features.check.parameters import ANSWERS_TEXT, CHECK_TEXT, EXERCISE, Checked
from tests.features.check.unit.handouts.one_head import step
from tests.unit.helpers import softmax

Array = np.ndarray
Tables = dict[str, Array]
NAMES = dict(zip(RESULTS, ("Q", "K", "V", "S", "S'", "A", "C"), strict=True))


def _one_sign(right: Array) -> Array:
    turned = right.copy()
    at = np.unravel_index(np.argmax(np.abs(right)), right.shape)
    turned[at] *= -1
    return turned


def _no_slip(on: Tables) -> Array:
    return on["x"]


# Slip -> (table in which it is made, the table with it, a part of what marking says about it).
SLIPS: Mapping[str, tuple[str, Callable[[Tables], Array], str]] = {
    "none": ("", _no_slip, ""),
    "root": ("scaled_scores", lambda on: on["scores"], "weren't divided by √d_k"),
    "d_k": ("scaled_scores", lambda on: on["scores"] / on["q"].shape[1], "in place of its root"),
    "w_k": ("v", lambda on: on["x"] @ on["w_k"], "W_k was taken in place of W_v"),
    "columns": ("attention_weights", lambda on: softmax(on["scaled_scores"], 0), "down each column"),
    "turned": ("scores", lambda on: on["k"] @ on["q"].T, "are exchanged"),
    "context": ("context", lambda on: on["attention_weights"].T @ on["v"], "Aᵀ V"),
    "sign": ("q", lambda on: _one_sign(on["x"] @ on["w_q"]), "has the wrong sign"),
    "x_for_v": ("context", lambda on: on["attention_weights"] @ on["x"], "X was taken in place of V"),
    "left_out": ("k", _no_slip, ""),
}
WAYS = ("rounded", "full", "fine")  # each step computed from rounded numbers; from all digits; and with a third decimal


@dataclass(frozen=True)
class Student:
    """A student who hands in: their sheet, their slip, and their way of computing."""

    sheet: Exercise
    slip: str
    way: str

    @property
    def stage(self) -> str:
        return SLIPS[self.slip][0]

    def tables(self, slip: str | None = None) -> Tables:
        """Return the tables on the paper; with the slip "none", those without the student's slip."""
        stage, made, _ = SLIPS[self.slip if slip is None else slip]
        on = {name: self.sheet.table(name) for name in ("x", "w_q", "w_k", "w_v")}
        paper: Tables = {}
        for name in RESULTS:
            whole = made(on) if name == stage and self.slip != "left_out" else step(name, on)
            paper[name] = (whole if self.way == "full" else whole.round(3 if self.way == "fine" else 2)) + 0.0
            on[name] = paper[name] if self.way == "rounded" else whole
        if self.way == "full":
            paper = {name: table.round(2) + 0.0 for name, table in paper.items()}
        if self.slip == "left_out":
            del paper[stage]
        return paper

    def shares(self) -> dict[str, float]:
        """Return the share of each table that is right, or follows from earlier tables."""
        paper, shares = self.tables(), dict.fromkeys(RESULTS, 1.0)
        if self.slip == "left_out":
            return shares | {self.stage: 0.0}
        if self.stage:
            given, right = paper[self.stage], self.tables("none")[self.stage]
            same = given.shape == right.shape
            allowed = 0.005 if self.way == "fine" else 1e-9  # a third decimal isn't asked for
            shares[self.stage] = 1 - float((np.abs(given - right) > allowed).mean()) if same else 0.0
        return shares


def written(value: float) -> str:
    return f"{value:.10g}"


def _grid(tables: Tables) -> list[list[str]]:
    """Return rows with two tables side by side, and the next two below."""
    rows: list[list[str]] = []
    for pair in zip(
        *[iter([*tables.items(), ("", np.zeros((0, 0)))][: 2 * ((len(tables) + 1) // 2)])] * 2, strict=True
    ):
        height = max(len(table) for _, table in pair)
        block = [[NAMES.get(name, "") if not i else "" for i in range(max(table.shape[1], 1))] for name, table in pair]
        rows.append([*block[0], "", *block[1]])
        for i in range(height):
            cells = [
                [written(v) for v in table[i]] if i < len(table) else [""] * max(table.shape[1], 1) for _, table in pair
            ]
            rows.append([*cells[0], "", *cells[1]])
        rows.append([])
    return rows


def as_csv(student: Student, tables: Tables) -> bytes:
    rows = [["Sheet", str(student.sheet.seed), student.sheet.check_word], [], *_grid(tables)]
    return "\n".join(";".join(cell.replace(".", ",") for cell in row) for row in rows).encode()


def as_markdown(student: Student, tables: Tables) -> bytes:
    lines = [f"Sheet {student.sheet.seed}, check word {student.sheet.check_word}"]
    for name, table in tables.items():
        lines += ["", f"## {NAMES[name]}", "", "|" + " | " * table.shape[1] + "|", "|" + "---|" * (table.shape[1] + 1)]
        lines += [f"| {token} | {' | '.join(map(written, row))} |"
                  for token, row in zip(student.sheet.tokens, table, strict=True)]  # fmt: skip
    return "\n".join(lines).encode()


def as_json(student: Student, tables: Tables) -> bytes:
    held = {NAMES[name]: table.tolist() for name, table in tables.items()}
    return json.dumps({"sheet": f"sheet {student.sheet.seed} {student.sheet.check_word}", **held}).encode()


def as_link(student: Student, tables: Tables) -> bytes:
    check = CHECK_TEXT.encode(Checked(EXERCISE, exercise=student.sheet))
    typed = {f"{name}.{i}.{j}": written(value) for name, table in tables.items()
             for (i, j), value in np.ndenumerate(table) if table.shape == student.sheet.table(name).shape}  # fmt: skip
    query = urlencode({"check": check, "answers": ANSWERS_TEXT.encode(typed)})
    return f"https://attnviz.example.org/exercises?{query}\n".encode()


_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def xlsx(cells: str) -> bytes:
    """Return a workbook with these rows, as XML."""
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{_TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{_TYPE}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_SPREADSHEET}" xmlns:r="{_OFFICE}"><sheets><sheet name="Sheet1" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_SPREADSHEET}"><sheetData>{cells}</sheetData></worksheet>',
    }
    return packed(files)


def packed(files: Mapping[str, str]) -> bytes:
    """Return a zip of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return out.getvalue()


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def as_xlsx(student: Student, tables: Tables) -> bytes:
    rows = []
    for i, row in enumerate([["Sheet", str(student.sheet.seed), student.sheet.check_word], [], *_grid(tables)], 1):
        cells = [
            f'<c r="{chr(65 + j)}{i}"><v>{text}</v></c>' if _is_number(text)
            else f'<c r="{chr(65 + j)}{i}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'
            for j, text in enumerate(row) if text
        ]  # fmt: skip
        rows.append(f'<row r="{i}">{"".join(cells)}</row>')
    return xlsx("".join(rows))


_ODF = "urn:oasis:names:tc:opendocument:xmlns"


def as_ods(student: Student, tables: Tables) -> bytes:
    rows = []
    for row in [["Sheet", str(student.sheet.seed), student.sheet.check_word], [], *_grid(tables)]:
        cells = [
            f'<table:table-cell office:value-type="float" office:value="{text}"/>' if _is_number(text)
            else f'<table:table-cell office:value-type="string"><text:p>{escape(text)}</text:p></table:table-cell>'
            if text else "<table:table-cell/>"
            for text in row
        ]  # fmt: skip
        rows.append(f"<table:table-row>{''.join(cells) or '<table:table-cell/>'}</table:table-row>")
    content = (
        f'<office:document-content xmlns:office="{_ODF}:office:1.0" xmlns:table="{_ODF}:table:1.0" '
        f'xmlns:text="{_ODF}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">{"".join(rows)}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    manifest = f'<manifest:manifest xmlns:manifest="{_ODF}:manifest:1.0"/>'
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return packed({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


FORMATS: Mapping[str, Callable[[Student, Tables], bytes]] = {
    "csv": as_csv, "md": as_markdown, "json": as_json, "xlsx": as_xlsx, "ods": as_ods, "url": as_link,
}  # fmt: skip
