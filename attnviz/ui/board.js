// The board: every matrix of self-attention as a grid of cells. It draws what Python sends (torch's numbers),
// lights up what a cell is made from, and lets the inputs be edited in place: while a cell is dragged the page
// evaluates the table of stages itself, on release the edit goes to Python.
// Whatever a person typed is only ever set as textContent or as an attribute.

const boards = new WeakMap();
const PIXELS_PER_STEP = 4;
const SHOWN_TERMS = 8;

export default function board({ parentElement, data, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".board");
  if (!boards.has(root)) boards.set(root, new Board(root));
  boards.get(root).receive(data, { setStateValue, setTriggerValue });
}

class Board {
  constructor(root) {
    this.root = root;
    this.grids = new Map(); // by matrix: { cells, element }
    this.pending = []; // edits that Python has not answered yet
    this.trail = []; // where stepping to sources came from
    this.pinned = null;
    this.at = null;
    for (const type of ["pointerdown", "pointerover", "pointerleave", "focusin", "keydown", "dblclick", "paste"]) {
      root.addEventListener(type, (event) => this[type](event));
    }
  }

  receive(data, send) {
    this.send = send;
    this.data = data;
    this.given = {};
    this.torch = {};
    for (const [name, matrix] of Object.entries(data.matrices)) {
      this.torch[name] = { ...matrix, values: Float64Array.from(matrix.values, Number) };
    }
    for (const stage of data.stages) {
      if (stage.rule === "given") this.given[stage.name] = copyOf(this.torch[stage.name]);
    }
    const structure = JSON.stringify([data.stages, data.labels, data.digits, shapesOf(this.torch), data.titles, data.layout]);
    if (structure !== this.structure) this.build(structure);
    if (addressOf(data.lit) !== this.lit) {
      this.lit = addressOf(data.lit);
      this.pinned = data.lit;
    }
    this.pending = this.pending.filter((edit) => this.isUnanswered(edit));
    if (this.drag || this.pending.length) return; // the numbers of now belong to an older release; the next one brings newer ones
    this.shown = this.torch;
    this.paint();
    this.report();
  }

  // Whether Python's numbers do not have an edit yet; after a few answers without it, it was refused.
  isUnanswered(edit) {
    edit.answers = (edit.answers ?? 0) + 1;
    const matrix = this.torch[edit.matrix];
    return edit.answers < 4 && matrix !== undefined && matrix.values[this.index(edit)] !== Math.fround(edit.value);
  }

  // ---- drawing ----

  build(structure) {
    this.structure = structure;
    this.grids.clear();
    this.at = this.pinned = null;
    const column = (names) => make("div", "column", names.map((name) => this.buildMatrix(name)));
    const lines = this.data.layout.map((columns) => make("div", "row", columns.map(column)));
    this.panel = make("div", "panel");
    this.panel.setAttribute("role", "status");
    this.mix = make("div", "mix");
    this.status = make("div", "status");
    lines.at(-1).append(this.mix);
    this.root.replaceChildren(...lines, this.panel, this.status);
  }

  buildMatrix(name) {
    const stage = this.stage(name);
    const { rows, columns } = this.torch[name];
    const element = make("div", "grid");
    element.setAttribute("role", "grid");
    element.setAttribute("aria-label", `${stage.title}, ${rows} by ${columns}: ${stage.meaning}`);
    element.style.gridTemplateColumns = `auto repeat(${columns}, minmax(2.5rem, auto))`;
    const header = make("div", "line", [make("span", "corner")]);
    for (let column = 0; column < columns; column += 1) header.append(this.label(stage.columns, column, "above"));
    header.setAttribute("aria-hidden", "true");
    element.append(header);
    const cells = [];
    for (let row = 0; row < rows; row += 1) {
      const line = make("div", "line");
      line.setAttribute("role", "row");
      line.append(this.label(stage.rows, row, "beside"));
      for (let column = 0; column < columns; column += 1) {
        const cell = make("span", "cell");
        cell.setAttribute("role", "gridcell");
        cell.tabIndex = row + column === 0 ? 0 : -1;
        cell.dataset.at = `${name},${row},${column}`;
        if (stage.rule === "given") cell.classList.add("editable");
        cells.push(cell);
        line.append(cell);
      }
      element.append(line);
    }
    this.grids.set(name, { cells, element });
    const title = make("div", "title");
    const mark = make("b", "", [stage.title]);
    if (stage.colour) mark.style.borderBottom = `3px solid ${stage.colour}`;
    const formula = this.data.titles[name];
    title.append(mark, formula === stage.title ? "" : ` = ${formula}`);
    return make("div", "matrix", [title, element]);
  }

  label(kind, at, side) {
    const text = kind === "feature" ? String(at) : this.data.labels[at];
    const label = make("span", `label ${side}`, [text]);
    label.title = text;
    if (kind !== "feature") label.dataset.token = at;
    label.setAttribute("aria-hidden", "true");
    return label;
  }

  // Write the cells whose text or colour changed, and no others.
  paint() {
    for (const [name, grid] of this.grids) {
      const stage = this.stage(name);
      const { values, columns } = this.shown[name];
      const limit = this.data.limits[name];
      grid.cells.forEach((cell, at) => {
        const value = values[at];
        if (Object.is(cell.shownValue, value) && cell.shownLimit === limit) return;
        cell.shownValue = value;
        cell.shownLimit = limit;
        const masked = stage.rule === "scale" && this.data.causal && at % columns > Math.floor(at / columns);
        const text = written(value, this.data.digits);
        if (cell.textContent !== text) cell.textContent = text;
        cell.setAttribute("aria-label", this.name(name, Math.floor(at / columns), at % columns) + (masked ? "masked" : text));
        const colour = colourOf(value, limit, this.data.scales[stage.scale]);
        cell.style.background = colour ? `rgb(${colour})` : "";
        cell.style.color = colour ? (brightness(colour) > 140 ? "#111" : "#fff") : "";
        cell.classList.toggle("undefined", !colour);
      });
    }
    this.paintMarks();
    this.paintMix();
    this.explain();
  }

  paintMarks() {
    const edited = new Set(this.data.edited);
    for (const [name, { cells }] of this.grids) {
      const { columns } = this.shown[name];
      const byToken = this.stage(name).rows !== "feature";
      cells.forEach((cell, at) => {
        cell.classList.toggle("edited", edited.has(cell.dataset.at));
        cell.classList.toggle("query", byToken && Math.floor(at / columns) === this.data.query);
      });
    }
  }

  // How the context row of the query is built: the contribution of each token, stacked, feature by feature.
  paintMix() {
    if (!this.data.mix) return;
    const [weights, values] = this.data.mix.map((name) => this.shown[name]);
    const row = this.data.query;
    const sums = [];
    const bars = Array.from({ length: values.columns }, (_, feature) => {
      const terms = Array.from({ length: values.rows }, (_, token) => ({
        token,
        value: weights.values[row * weights.columns + token] * values.values[token * values.columns + feature],
      }));
      sums.push(terms.reduce((sum, { value }) => sum + Math.abs(value), 0));
      return terms;
    });
    const most = Math.max(...sums);
    const title = make("div", "title", [
      make("b", "", ["How the context of "]),
      make("b", "", [this.data.labels[row]]),
      make("b", "", [" is mixed"]),
      ": attention weight × value of each token",
    ]);
    const lines = bars.map((terms, feature) => {
      const total = terms.reduce((sum, { value }) => sum + value, 0);
      const stack = make("div", "stack");
      for (const { token, value } of [...terms].sort((a, b) => (a.value < 0) - (b.value < 0))) {
        const part = make("span", value < 0 ? "part negative" : "part", [this.data.labels[token]]);
        part.style.width = `${most > 0 ? (100 * Math.abs(value)) / most : 0}%`;
        part.title = `${this.data.labels[token]}: ${written(value, this.data.digits)}`;
        stack.append(part);
      }
      return make("div", "bar", [make("span", "label beside", [String(feature)]), stack, make("span", "sum", [written(total, this.data.digits)])]);
    });
    this.mix.replaceChildren(title, ...lines);
  }

  report() {
    if (this.shown !== this.torch) {
      this.status.textContent = "Evaluated in the page; torch computes it when you let go.";
      this.status.classList.remove("alarm");
      return;
    }
    const { largest, explained } = difference(this.data.stages, evaluate(this.data.stages, this.given, this.data), this.torch);
    const size = largest === 0 ? "0" : largest.toExponential(0).replace("e-", "e−");
    this.status.textContent = explained
      ? `Computed by torch; largest difference to the page's own evaluation ${size}.`
      : `The page and torch differ by ${size}, more than float32 explains. Trust torch's numbers, and please report this.`;
    this.status.classList.toggle("alarm", !explained);
  }

  // ---- one cell ----

  stage(name) {
    return this.data.stages.find((stage) => stage.name === name);
  }

  name(matrix, row, column) {
    const { symbol, rows, columns } = this.stage(matrix);
    const of = (kind, at) => `${kind} ${kind === "feature" ? at : this.data.labels[at]}`;
    return `${symbol}, ${of(rows, row)}, ${of(columns, column)}: `;
  }

  cellAt({ matrix, row, column }) {
    const grid = this.grids.get(matrix);
    return grid?.cells[row * this.shown[matrix].columns + column];
  }

  index({ matrix, row, column }) {
    return row * this.torch[matrix].columns + column;
  }

  valueAt(at) {
    return this.shown[at.matrix].values[this.index(at)];
  }

  // Light up what the cell of now is made from, and say how.
  explain() {
    for (const { cells } of this.grids.values()) {
      for (const cell of cells) cell.classList.remove("source", "chosen");
    }
    const at = this.pinned ?? this.at;
    if (!at || !this.cellAt(at)) {
      this.panel.replaceChildren(
        "Point at a cell, or reach it with Tab and the arrow keys: the cells it is made from light up. " +
          "Enter pins it. Drag a number of X or of a W sideways, or double-click it and type.",
      );
      return;
    }
    const stage = this.stage(at.matrix);
    const sources = sourcesOf(stage, at.row, at.column, this.shown);
    this.cellAt(at).classList.add("chosen");
    for (const source of sources) this.cellAt(source)?.classList.add("source");
    const head = make("div", "", [make("b", "", [this.name(at.matrix, at.row, at.column) + written(this.valueAt(at), this.data.digits)])]);
    const how = make("div", "how", [this.arithmetic(stage, at)]);
    const steps = make("div", "steps", this.stepButtons(stage, sources, at));
    this.panel.replaceChildren(head, how, steps);
  }

  arithmetic(stage, at) {
    const say = (value) => written(value, this.data.digits);
    const total = say(this.valueAt(at));
    const row = (name, index) => {
      const { columns, values } = this.shown[name];
      return Array.from(values.subarray(index * columns, (index + 1) * columns));
    };
    switch (stage.rule) {
      case "product": {
        const [first, second] = stage.sources;
        const right = stage.transposed
          ? row(second, at.column)
          : Array.from({ length: this.shown[second].rows }, (_, i) => this.valueAt({ matrix: second, row: i, column: at.column }));
        const terms = row(first, at.row).map((left, i) => ({ text: `${say(left)}·${bracketed(say(right[i]))}`, value: left * right[i] }));
        if (stage.bias && this.shown[stage.bias]) {
          const bias = this.valueAt({ matrix: stage.bias, row: 0, column: at.column });
          terms.push({ text: bracketed(say(bias)), value: bias });
        }
        const shown = [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, SHOWN_TERMS);
        const kept = terms.filter((term) => shown.includes(term));
        const rest = terms.filter((term) => !shown.includes(term)).reduce((sum, term) => sum + term.value, 0);
        const others = terms.length > kept.length ? ` + ${terms.length - kept.length} more: ${bracketed(say(rest))}` : "";
        return `${this.data.titles[stage.name]}: ${kept.map((term) => term.text).join(" + ")}${others} ≈ ${total}`;
      }
      case "scale": {
        if (this.data.causal && at.column > at.row) return "Masked: a token may not attend to a later one, so softmax gives it 0.";
        const score = this.valueAt({ ...at, matrix: stage.sources[0] });
        return `${this.data.titles[stage.name]}: ${say(score)} / ${this.data.divisorText} ≈ ${total}`;
      }
      case "softmax": {
        const scores = row(stage.sources[0], at.row);
        if (scores[at.column] === -Infinity) return "Masked: exp(−∞) = 0.";
        const exps = scores.map((score) => Math.exp(score - Math.max(...scores)));
        const sum = exps.reduce((all, each) => all + each, 0);
        return `exp(${say(scores[at.column])}) / the sum of exp over the row ≈ ${say(exps[at.column])} / ${say(sum)} ≈ ${total} (all divided by exp of the row's largest, which changes nothing)`;
      }
      default:
        return this.data.origins[at.matrix] ?? "Given. Drag it sideways, or double-click and type.";
    }
  }

  stepButtons(stage, sources, at) {
    const buttons = [];
    for (const name of new Set(sources.map((source) => source.matrix))) {
      const target = sources.find((source) => source.matrix === name);
      if (!this.grids.has(name)) continue;
      buttons.push(this.button(`Go to ${this.stage(name).symbol}`, () => this.stepTo(target, at)));
    }
    if (this.trail.length) buttons.push(this.button("Back", () => this.stepBack()));
    if (this.data.edited.includes(addressOf(at))) buttons.push(this.button("Reset this cell", () => this.reset(at)));
    return buttons;
  }

  button(text, act) {
    const button = make("button", "", [text]);
    button.type = "button";
    button.onclick = act;
    return button;
  }

  stepTo(target, from) {
    this.trail.push(from);
    this.pinned = null;
    this.focus(target);
  }

  stepBack() {
    this.pinned = null;
    const back = this.trail.pop();
    if (back) this.focus(back);
  }

  focus(at) {
    const cell = this.cellAt(at);
    if (!cell) return;
    for (const other of this.grids.get(at.matrix).cells) other.tabIndex = other === cell ? 0 : -1;
    cell.focus();
  }

  // ---- events ----

  pointerover(event) {
    const at = placeOf(event.target);
    if (at && !this.drag) this.choose(at);
  }

  pointerleave() {
    if (!this.drag) this.choose(placeOf(this.root.getRootNode().activeElement));
  }

  focusin(event) {
    const at = placeOf(event.target);
    if (at) this.choose(at);
  }

  choose(at) {
    if (addressOf(at) === addressOf(this.at)) return;
    this.at = at;
    if (!this.pinned) this.explain();
  }

  pointerdown(event) {
    const at = placeOf(event.target);
    if (!at) return;
    this.focus(at);
    if (this.stage(at.matrix).rule !== "given" || event.button !== 0) return;
    event.preventDefault();
    const start = { x: event.clientX, value: this.valueAt(at) };
    const move = (moved) => {
      const steps = Math.trunc((moved.clientX - start.x) / PIXELS_PER_STEP);
      if (!this.drag && steps === 0) return;
      this.drag = { ...at, value: rounded(start.value + steps * (moved.shiftKey ? 0.1 : 0.01)) };
      this.change(at, this.drag.value);
    };
    const drop = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", drop);
      window.removeEventListener("pointercancel", drop);
      if (!this.drag) return;
      const edit = this.drag;
      this.drag = null;
      this.commit([edit]);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", drop);
    window.addEventListener("pointercancel", drop);
  }

  keydown(event) {
    const at = placeOf(event.target);
    if (!at) return;
    const editable = this.stage(at.matrix).rule === "given";
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
    if ((down || right) && event.altKey && editable) {
      const value = rounded(this.valueAt(at) + (right - down) * (event.shiftKey ? 0.1 : 0.01));
      this.change(at, value);
      this.commit([{ ...at, value }]);
    } else if (down || right) {
      const { rows, columns } = this.shown[at.matrix];
      const row = Math.min(rows - 1, Math.max(0, at.row + down));
      const column = Math.min(columns - 1, Math.max(0, at.column + right));
      this.focus({ ...at, row, column });
    } else if (event.key === "Enter") {
      this.pinned = addressOf(this.pinned) === addressOf(at) ? null : at;
      this.explain();
    } else if (event.key === "Escape") {
      this.pinned = null;
      this.trail = [];
      this.explain();
    } else if (event.key === "Delete" && this.data.edited.includes(addressOf(at))) {
      this.reset(at);
    } else if (editable && /^[-+.0-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      this.type(at, event.key);
    } else {
      return;
    }
    event.preventDefault();
  }

  dblclick(event) {
    const at = placeOf(event.target);
    if (at && this.stage(at.matrix).rule === "given") this.type(at, String(this.valueAt(at)));
  }

  type(at, text) {
    const cell = this.cellAt(at);
    const input = make("input", "typed");
    input.value = text;
    input.setAttribute("aria-label", `New number for ${this.name(at.matrix, at.row, at.column)}`);
    const box = cell.getBoundingClientRect();
    const origin = this.root.getBoundingClientRect();
    Object.assign(input.style, { left: `${box.left - origin.left}px`, top: `${box.top - origin.top}px`, width: `${Math.max(box.width, 70)}px` });
    let done = false;
    const end = (take) => {
      if (done) return;
      done = true;
      const value = Number(input.value.replace(/[\u2212\u2013]/g, "-").replace(",", "."));
      const good = input.value.trim() !== "" && Number.isFinite(Math.fround(value));
      input.remove();
      this.focus(at);
      if (take && good) this.commit([{ ...at, value }]);
      else if (take) this.panel.replaceChildren(`“${input.value}” is no number that float32 can hold; the cell keeps what it held.`);
    };
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    };
    input.onblur = () => end(true);
    this.root.append(input);
    input.focus();
    if (text.length > 1) input.select();
  }

  paste(event) {
    const at = placeOf(this.root.getRootNode().activeElement);
    if (!at || this.stage(at.matrix).rule !== "given") return;
    event.preventDefault();
    const lines = event.clipboardData.getData("text").trim().split(/\r?\n/).slice(0, 64);
    const { rows, columns } = this.shown[at.matrix];
    const edits = [];
    lines.forEach((line, down) => {
      line.trim().split(/[\t;, ]+/).forEach((text, right) => {
        const value = Number(text.replace(/[\u2212\u2013]/g, "-"));
        const [row, column] = [at.row + down, at.column + right];
        if (text !== "" && Number.isFinite(Math.fround(value)) && row < rows && column < columns) edits.push({ matrix: at.matrix, row, column, value });
      });
    });
    if (edits.length) this.commit(edits);
    else this.panel.replaceChildren("Nothing that was pasted is a number.");
  }

  // ---- changing ----

  // Show what a cell's new number does to every matrix, at once.
  change(at, value) {
    const { columns, values } = this.given[at.matrix];
    values[at.row * columns + at.column] = Math.fround(value);
    this.at = at;
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.shown = evaluate(this.data.stages, this.given, this.data);
      this.paint();
      this.report();
    });
  }

  commit(edits) {
    for (const edit of edits) this.change(edit, edit.value);
    // A trigger sent before the last was handled replaces it, so each carries all that is unanswered.
    this.pending = [...this.pending.filter((old) => !edits.some((edit) => addressOf(edit) === addressOf(old))), ...edits];
    this.send.setTriggerValue("edits", this.pending);
  }

  reset(at) {
    this.send.setTriggerValue("reset", at);
  }
}

// ---- small things ----

function make(tag, className, children = []) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function placeOf(element) {
  const text = element?.dataset?.at;
  if (!text) return null;
  const [matrix, row, column] = text.split(",");
  return { matrix, row: Number(row), column: Number(column) };
}

function addressOf(at) {
  return at ? `${at.matrix},${at.row},${at.column}` : "";
}

function copyOf(matrix) {
  return { ...matrix, values: matrix.values.slice() };
}

function shapesOf(matrices) {
  return Object.entries(matrices).map(([name, { rows, columns }]) => [name, rows, columns]);
}

function rounded(value) {
  return Number(value.toFixed(4));
}

function bracketed(text) {
  return text.startsWith("−") || text.startsWith("-") ? `(${text})` : text;
}

// The colour of a value within its limits on a scale of [position, [r, g, b]]; none for what is no number.
function colourOf(value, [low, high], scale) {
  if (!Number.isFinite(value)) return null;
  const position = Math.min(1, Math.max(0, (value - low) / (high - low)));
  const next = Math.max(1, scale.findIndex(([at]) => at >= position));
  const [[from, first], [to, second]] = [scale[next - 1], scale[next]];
  const part = (position - from) / (to - from);
  return first.map((channel, i) => Math.round(channel + part * (second[i] - channel)));
}

function brightness([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
