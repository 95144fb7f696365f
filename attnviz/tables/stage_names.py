"""Which matrix of the computation a heading or a variable names, as people and programs call them."""

import re
from types import MappingProxyType

from attnviz.core.stages import EVERY_STAGE, head_name
from attnviz.tables.stacked import head_said

_DRESS = re.compile(r"[\s$\\{}_^*`#.|\"“”]|mathbf|mathrm|mathit|text|boldsymbol|left|right")
_MORE = MappingProxyType(
    {
        "x": (
            "input",
            "inputs",
            "inputvectors",
            "embeddings",
            "embedding",
            "inputembeddings",
            "tokenembeddings",
            "inputmatrix",
            "emb",
        ),
        "e": ("wordvectors",),
        "p": (
            "positions",
            "positionalencoding",
            "positionalencodings",
            "pe",
        ),
        "q": (
            "query",
            "queries",
            "querymatrix",
            "queryvectors",
        ),
        "k": (
            "key",
            "keys",
            "keymatrix",
            "keyvectors",
        ),
        "v": (
            "value",
            "values",
            "valuematrix",
            "valuevectors",
        ),
        "scores": (
            "score",
            "attentionscores",
            "rawscores",
            "qkt",
            "qk⊤",
            "qkᵀ",
            "q@k.t",
            "q@kt",
            "logits",
            "unscaledscores",
            "similarity",
            "attnscores",
            "dotproducts",
        ),
        "scaled_scores": (
            "s'",
            "scaled",
            "scaledscore",
            "scaledattentionscores",
            "qkt/sqrtdk",
            "qkt/√dk",
            "qkᵀ/√dk",
            "scaledlogits",
            "attnscoresscaled",
            "scoresscaled",
            "maskedscores",
            "scoresmasked",
            "scores/sqrtdk",
            "s/√dk",
            "s/sqrtdk",
        ),
        "attention_weights": (
            "attention",
            "attn",
            "weights",
            "attentionmatrix",
            "attnweights",
            "weight",
            "alpha",
            "softmax",
            "probabilities",
            "probs",
            "attentionprobabilities",
            "attentionprobs",
            "α",
            "attentions",
        ),
        "context": (
            "contextvector",
            "contextmatrix",
            "ctx",
            "contextvec",
            "contextvecs",
            "concatenatedcontext",
            "concatenatedcontexts",
            "concatenatedcontextvectors",
            "concatenatedheads",
            "concatenated",
            "concatenation",
            "concat",
            "z",
        ),
        "w_o": (
            "wout",
            "woutput",
            "outproj",
            "outprojweight",
            "outputprojection",
            "oproj",
        ),
        "b_o": ("bout", "outprojbias"),
        "output": (
            "attentionoutput",
            "attnoutput",
            "multiheadoutput",
            "multiheadattentionoutput",
            "finaloutput",
            "out",
            "outputs",
            "result",
        ),
        "residual_1": (
            "r",
            "r1",
            "residual",
            "residuals",
            "residualsum",
            "residualoutput",
            "residualconnection",
            "skipconnection",
            "afterresidual",
            "x+o",
            "x+c",
            "x+output",
            "x+context",
            "x+attention",
            "x+attn",
            "x+attentionoutput",
            "input+output",
            "input+context",
            "input+attention",
            "input+attentionoutput",
        ),
        "w_1": ("ffnw1",),
        "b_1": ("ffnb1",),
        "w_2": ("ffnw2",),
        "b_2": ("ffnb2",),
        "preactivations": (
            "preactivation",
            "beforetherelu",
            "beforethegelu",
        ),
        "hidden": (
            "afterrelu",
            "aftergelu",
            "activations",
            "hiddenlayer",
        ),
        "feed_forward": (
            "feedforwardoutput",
            "ffn",
            "ffnoutput",
            "feedforward",
        ),
    }
)
OF_A_HEAD = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")  # what each head has for itself
_OF_WEIGHTS = ("w{}", "w{0}matrix", "{0}weights", "{}w", "weight{}", "weights{}")
_PARTS = {"q": ("q", "query", "queries"), "k": ("k", "key", "keys"), "v": ("v", "value", "values")}


def _plain(text: str) -> str:
    return _DRESS.sub("", text.replace("′", "'").replace("^T", "t").replace("\\top", "t")).lower()


def _names() -> dict[str, str]:
    names: dict[str, str] = {}
    for name, stage in EVERY_STAGE.items():
        for each in (name, stage.symbol, stage.title, *stage.title.split(", "), *_MORE.get(name, ())):
            names.setdefault(_plain(each), name)
    for part, words in _PARTS.items():
        for word in words:
            names |= {form.format(word): f"w_{part}" for form in _OF_WEIGHTS if (form, word) != ("{0}weights", "w")}
            names |= {form.format(word): f"b_{part}" for form in ("b{}", "bias{}", "{}bias", "{}projbias")}
    return names


_NAMES = MappingProxyType(_names())
_LONGEST = 90
_PARTING = re.compile(r"\s*(?:=|:|\(|\[|,|–|—| - )\s*")
_NUMBERING = re.compile(
    r"\s*(?:(?:step|table|part|aufgabe|no\.?)\s*)?[0-9]{1,2}(?:\.[0-9]{1,2})?\s*[.):-]\s+", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"\s*(?:(?:the|our|compute|computing|matrix|tensor|static|const|final|auto|var|let|double|float)(?:\[,?\]){0,2}\s+){1,3}",
    re.IGNORECASE,
)


def stage_named(text: str) -> str | None:
    """Return the name of the stage that a heading, a label or a variable names; None where it names none.

    >>> [stage_named(text) for text in ("W^Q", "## Attention weights A = softmax(S′)", "attn_weights", "the cat")]
    ['w_q', 'attention_weights', 'attention_weights', None]
    >>> stage_named("Head 1: scores")
    'heads.1.scores'
    """
    if len(text) > _LONGEST:
        return None
    head, text = head_said(text)
    found = _stage_of(text)
    return head_name(head, found) if head is not None and found in OF_A_HEAD else found


def _stage_of(text: str) -> str | None:
    bare = _NUMBERING.sub("", text.strip().strip("#*_-> \t").strip(), count=1)
    bare = _ARTICLE.sub("", bare, count=1)
    parts = (bare, *[part.rstrip(")]") for part in _PARTING.split(bare)])
    return next((found for part in parts if (found := _NAMES.get(_plain(part)) or _named_twice(part))), None)


def _named_twice(text: str) -> str | None:
    """Return what a name and its symbol both say: "Inputs X"."""
    before, _, symbol = text.rpartition(" ")
    named = _NAMES.get(_plain(before))
    return named if named is not None and named == _NAMES.get(_plain(symbol)) else None
