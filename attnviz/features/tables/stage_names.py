"""Finding which matrix and head a heading or variable names."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from attnviz.core.stages import ALL_STAGES, EVERY_STAGE, head_name
from attnviz.features.tables.cells import levels
from attnviz.features.tables.foreign_names import foreign_names
from attnviz.words import by_language

_DTYPE = re.compile(r",\s{0,8}dtype=(?:torch\.)?\w{1,20}")
_HEAD = re.compile(r"[#>*\s-]{0,12}head[\s_#]{0,3}\[?([0-9]{1,2})\]?[*\s]{0,4}[:.)]?[*\s]{0,4}", re.IGNORECASE)
# As in "scores of head 1", "head 1: scores", "scores, head 1", "heads.1.scores"; scores[1] may be a row instead.
_BEHIND = re.compile(
    r"(.{1,60}?)[\s,(_–-]{1,4}(?:of |in |for )?head[\s_#]{0,3}\[?([0-9]{1,2})\]?\)?([\s:=*]{0,6}.{0,40})",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE = re.compile(r"(?:head[\s_#]{0,3}([0-9]{1,2})[\s:,.–_-]{1,4}|heads\.([0-9]{1,2})\.)(.{1,80})", re.IGNORECASE)
_MOST_OF_A_NAME = 90


def head_said(text: str) -> tuple[int | None, str]:
    """Return which head a name mentions, and the rest of it.

    >>> head_said("Head 1: scores"), head_said("scores of head 0"), head_said("heads.1.q"), head_said("W_q")
    ((1, 'scores'), (0, 'scores'), (1, 'q'), (None, 'W_q'))
    """
    if len(text) > _MOST_OF_A_NAME:
        return None, text
    if before := _BEFORE.fullmatch(text.strip("#*_-> \t")):
        return int(before[1] or before[2]), before[3]
    if behind := _BEHIND.fullmatch(text):
        return int(behind[2]), behind[1] + behind[3]
    return None, text


def head_of_line(line: str) -> int | None:
    """Return a head's number if a line is only its heading.

    >>> head_of_line("## Head 1"), head_of_line("Head 1: scores")
    (1, None)
    """
    found = _HEAD.fullmatch(line) if len(line) <= _MOST_OF_A_NAME else None
    return int(found[1]) if found else None


def unstacked(text: str) -> dict[int, str]:
    """Return each head's table, counted from 0; nothing for one table.

    >>> unstacked("tensor([[[1., 2.]], [[3., 4.]]])")
    {0: '[[1., 2.]]', 1: '[[3., 4.]]'}
    >>> unstacked("Head 1\\n1 2\\n\\nHead 2\\n3 4")
    {0: '1 2', 1: '3 4'}
    """
    parts = dict(_below_headings(text)) or dict(enumerate(_in_brackets(text)))
    return {head - first_of(parts): parts[head] for head in sorted(parts)} if len(parts) > 1 else {}


def first_of(heads: Iterable[int]) -> int:
    """Return the first head's number: some texts count heads from 1.

    >>> first_of([1, 2, 1]), first_of([1, 3]), first_of([])
    (1, 0, 0)
    """
    numbers = set(heads)
    return int(min(numbers, default=0) == 1 and max(numbers) == len(numbers))


def stacked(parts: Mapping[int, str]) -> str:
    """Return several heads' tables as one text, for :func:`unstacked`.

    >>> unstacked(stacked({0: "1 2", 1: "3 4"}))
    {0: '1 2', 1: '3 4'}
    """
    return "\n\n".join(f"Head {head}\n{part}" for head, part in sorted(parts.items()))


def _below_headings(text: str) -> Iterator[tuple[int, str]]:
    lines = text.splitlines()
    heads = [(i, head) for i, line in enumerate(lines) if (head := head_of_line(line)) is not None]
    ends = [i for i, _ in heads[1:]] + [len(lines)] * bool(heads)
    for (i, head), end in zip(heads, ends, strict=True):
        yield head, "\n".join(lines[i + 1 : end]).strip("\n")


def _in_brackets(text: str) -> Iterator[str]:
    """Yield the matrices of a tensor with more than two axes."""
    signs = list(levels(text))
    deepest = max((level for _, _, level in signs), default=0)
    dtype = said[0] if (said := _DTYPE.search(text)) else ""
    start = 0
    for at, opens, level in signs if deepest > 2 else ():
        if level == deepest - 1:
            start = at if opens else start
            if not opens:
                yield text[start : at + 1] + dtype


_DRESS = re.compile(r"[\s$\\{}_^*`#.|\"“”]|mathbf|mathrm|mathit|text|boldsymbol|left|right")
_MORE = {  # stage -> further names, without blanks
    "x": "input inputs inputvectors embeddings embedding inputembeddings tokenembeddings inputmatrix emb",
    "e": "wordvectors",
    "p": "positions positionalencoding positionalencodings pe",
    "q": "query queries querymatrix queryvectors",
    "k": "key keys keymatrix keyvectors",
    "v": "value values valuematrix valuevectors",
    "scores": (
        "score attentionscores rawscores qkt qk⊤ qkᵀ q@k.t q@kt logits unscaledscores similarity attnscores dotproducts"
    ),
    "scaled_scores": (
        "s' scaled scaledscore scaledattentionscores qkt/sqrtdk qkt/√dk qkᵀ/√dk scaledlogits attnscoresscaled "
        "scoresscaled maskedscores scoresmasked scores/sqrtdk s/√dk s/sqrtdk"
    ),
    "attention_weights": (
        "attention attn weights attentionmatrix attnweights weight alpha softmax probabilities probs "
        "attentionprobabilities attentionprobs α attentions"
    ),
    "context": (
        "contextvector contextmatrix ctx contextvec contextvecs concatenatedcontext concatenatedcontexts "
        "concatenatedcontextvectors concatenatedheads concatenated concatenation concat z"
    ),
    "w_o": "wout woutput outproj outprojweight outputprojection oproj",
    "b_o": "bout outprojbias",
    "output": ("attentionoutput attnoutput multiheadoutput multiheadattentionoutput finaloutput out outputs result"),
    "residual_1": (
        "r r1 residual residuals residualsum residualoutput residualconnection skipconnection afterresidual x+o x+c "
        "x+output x+context x+attention x+attn x+attentionoutput input+output input+context input+attention "
        "input+attentionoutput"
    ),
    "w_1": "ffnw1",
    "b_1": "ffnb1",
    "w_2": "ffnw2",
    "b_2": "ffnb2",
    "preactivations": "preactivation beforetherelu beforethegelu",
    "hidden": "afterrelu aftergelu activations hiddenlayer",
    "feed_forward": "feedforwardoutput ffn ffnoutput feedforward",
}
OF_A_HEAD = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")  # each head has its own
_OF_WEIGHTS = ("w{}", "w{0}matrix", "{0}weights", "{}w", "weight{}", "weights{}")
_PARTS = {"q": ("q", "query", "queries"), "k": ("k", "key", "keys"), "v": ("v", "value", "values")}


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFC", text)  # a Mac writes ü as two characters
    return _DRESS.sub("", text.replace("′", "'").replace("’", "'").replace("^T", "t").replace("\\top", "t")).lower()


@by_language()
def _names() -> dict[str, str]:
    names: dict[str, str] = {}
    for name, stage in EVERY_STAGE.items():
        for each in (name, stage.symbol, stage.title, *stage.title.split(", "), *_MORE.get(name, "").split()):
            names.setdefault(_plain(each), name)
    for part, words in _PARTS.items():
        for word in words:
            names |= {form.format(word): f"w_{part}" for form in _OF_WEIGHTS if (form, word) != ("{0}weights", "w")}
            names |= {form.format(word): f"b_{part}" for form in ("b{}", "bias{}", "{}bias", "{}projbias")}
    foreign = {_plain(word): name for word, name in foreign_names()}
    return foreign | {_plain(name): name for name in ALL_STAGES if "_" in name} | names


_PARTING = re.compile(r"\s*(?:=|:|\(|\[|,|–|—| - )\s*")
_NUMBERING = re.compile(
    r"\s*(?:(?:step|table|part|aufgabe|no\.?)\s*)?[0-9]{1,2}(?:\.[0-9]{1,2})?\s*[.):-]\s+", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"\s*(?:(?:the|our|compute|computing|matrix|der|die|das|unsere|les|la|le|nos|matrice|tensor|static|const|final|auto|var|let|double|float)(?:\[,?\]){0,2}\s+){1,3}",
    re.IGNORECASE,
)


def stage_named(text: str) -> str | None:
    """Return the stage that a heading or variable names, or None."""
    if len(text) > _MOST_OF_A_NAME:
        return None
    head, text = head_said(text)
    found = _stage_of(text)
    return head_name(head, found) if head is not None and found in OF_A_HEAD else found


def _stage_of(text: str) -> str | None:
    bare = _NUMBERING.sub("", text.strip().strip("#*_-> \t").strip(), count=1)
    bare = _ARTICLE.sub("", bare, count=1)
    parts = (bare, *[part.rstrip(")]") for part in _PARTING.split(bare)])
    return next((found for part in parts if (found := _names().get(_plain(part)) or _named_twice(part))), None)


def _named_twice(text: str) -> str | None:
    """Return what a name and its symbol both say: "Inputs X"."""
    before, _, symbol = text.rpartition(" ")
    named = _names().get(_plain(before))
    return named if named is not None and named == _names().get(_plain(symbol)) else None
