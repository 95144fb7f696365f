// The board: every matrix of self-attention as a grid of cells. It draws what Python sends (torch's numbers),
// lights up what a cell is made from, and shows at once what an edit does, by evaluating the table of stages
// itself; torch's numbers take the place of its own as soon as they are there.
// Whatever a person typed is only ever set as textContent or as an attribute.

const MIN_CHARACTERS = 6; // in the width of a column
const SOON_MS = 300;
const PAINTED_MS = 50; // until torch's numbers are painted and the rest of the page can follow
const boards = new WeakMap();

export default function board({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".board");
  if (!boards.has(root)) boards.set(root, new Board(root));
  boards.get(root).receive(data, setTriggerValue);
}

export class Board {
  constructor(root) {
    this.root = root;
    this.grids = new Map(); // by matrix: { cells, element }
    this.pending = new Map(); // by address: edits that Python has not answered yet
    this.panel = new Panel(this);
    this.mix = new Mix();
    this.at = this.pinned = this.drag = null;
    this.marked = new Set(); // the cells that are lit
    this.views = new IntersectionObserver((changes) => this.seen(changes));
    this.input = new Input(this);
  }

  receive(data, trigger) {
    this.send = (edits) => trigger("edits", edits);
    this.data = data;
    this.stages = new Map(data.stages.map((stage) => [stage.name, stage]));
    this.torch = Object.fromEntries(
      Object.entries(data.matrices).map(([name, matrix]) => [name, { ...matrix, values: Float64Array.from(matrix.values, Number) }]),
    );
    const shapes = Object.entries(this.torch).map(([name, { rows, columns }]) => [name, rows, columns]);
    const structure = JSON.stringify([data.stages, data.labels, shapes, data.titles, data.layout, data.framed, data.notes]);
    if (structure !== this.structure) this.build(structure);
    for (const [address, edit] of this.pending) {
      if (edit.number <= data.answered || !this.fits(edit)) this.pending.delete(address);
    }
    if (this.overtook && !this.pending.size) this.sayAgain();
    if (data.asks && data.answered === this.number && this.asked !== this.number) {
      this.asked = this.number;
      setTimeout(() => trigger("rest", data.answered), PAINTED_MS);
    }
    if (this.drag || this.pending.size) return; // these numbers are older than what is shown; the next ones are not
    this.given = this.givenBy(this.torch);
    this.settled = true;
    this.show(this.torch);
  }

  givenBy(matrices) {
    const given = this.data.stages.filter((stage) => stage.rule === "given");
    return Object.fromEntries(given.map(({ name }) => [name, { ...matrices[name], values: matrices[name].values.slice() }]));
  }

  fits({ matrix, row, column }) {
    const { rows, columns } = this.torch[matrix] ?? { rows: 0, columns: 0 };
    return row < rows && column < columns;
  }

  // ---- drawing ----

  build(structure) {
    this.structure = structure;
    this.grids.clear();
    this.views.disconnect();
    this.marked.clear();
    this.pending.clear();
    this.at = this.pinned = this.drag = null;
    this.made = { ...this.data, stages: this.stages, matrices: this.torch };
    const column = (names) => make("div", "column", names.map((name) => this.buildMatrix(name)));
    const lines = this.data.layout.map((columns) => make("div", "row", columns.map(column)));
    if (this.data.mix) lines.at(-1).append(this.mix.element);
    this.root.style.setProperty("--widest", Math.max(...this.data.layout.map((columns) => this.widthOf(columns))));
    toggle(this.root, "framed", this.data.framed);
    this.root.replaceChildren(...(this.data.framed ? [legend()] : []), ...lines, this.panel.element);
  }

  // How many characters wide a line of matrices is, about: letters are as large as it lets them be.
  widthOf(columns) {
    const widths = columns.map((names) => names.map((name) => 8 + (MIN_CHARACTERS + 1) * this.torch[name].columns));
    return widths.reduce((sum, each) => sum + Math.max(0, ...each), 0);
  }

  buildMatrix(name) {
    const stage = this.stages.get(name);
    const { rows, columns } = this.torch[name];
    const element = make("div", "grid");
    element.setAttribute("role", "grid");
    element.setAttribute("aria-label", `${stage.title}, ${rows} by ${columns}: ${stage.meaning}`);
    element.style.setProperty("--columns", columns);
    element.longest = 0;
    const header = make("div", "line", [make("span", "corner")]);
    for (let column = 0; column < columns; column += 1) header.append(this.label(stage.columns, column, "above"));
    header.setAttribute("aria-hidden", "true");
    element.append(header);
    const cells = [];
    for (let row = 0; row < rows; row += 1) {
      const line = make("div", "line", [this.label(stage.rows, row, "beside")]);
      line.setAttribute("role", "row");
      for (let column = 0; column < columns; column += 1) cells.push(this.buildCell(stage, row, column));
      line.append(...cells.slice(-columns));
      element.append(line);
    }
    this.grids.set(name, { cells, element, inView: true });
    this.views.observe(element);
    const title = make("b", "", [stage.title]);
    if (stage.colour) title.style.borderBottom = `3px solid ${stage.colour}`;
    const formula = this.data.titles[name];
    const says = [formula === stage.title ? "" : ` = ${formula}`, this.data.notes[name] ? ` (${this.data.notes[name]})` : ""];
    return make("div", `matrix ${stage.origin}`, [make("div", "title", [title, ...says]), element]);
  }

  buildCell(stage, row, column) {
    const place = { matrix: stage.name, row, column };
    const cell = make("span", stage.rule === "given" ? "cell editable" : "cell");
    cell.setAttribute("role", "gridcell");
    cell.tabIndex = row + column === 0 ? 0 : -1;
    cell.dataset.at = addressOf(place);
    cell.called = placeInWords(this.made, place);
    cell.append(""); // its text, of which only the characters change
    return cell;
  }

  label(kind, at, side) {
    const text = kind === "feature" ? String(at) : this.data.labels[at];
    const label = make("span", `label ${side}`, [text]);
    label.title = text;
    label.setAttribute("aria-hidden", "true");
    return label;
  }

  // Show these matrices; only cells whose number, colour or mark changed are written.
  show(matrices) {
    this.shown = matrices;
    this.made = { ...this.data, stages: this.stages, matrices };
    this.draw((grid) => grid.inView !== false);
    // While a cell is dragged, what is out of view waits until it comes into view; else until the rest is painted.
    if (!this.drag) this.rest ??= setTimeout(() => this.drawRest());
    if (this.data.mix) this.mix.show(this.data, ...this.data.mix.map((name) => matrices[name]));
    this.explain();
    this.panel.report();
  }

  drawRest() {
    this.rest = null;
    this.draw((grid) => grid.inView === false);
  }

  draw(which) {
    for (const [name, grid] of this.grids) {
      if (!which(grid)) continue;
      this.paint(this.stages.get(name), grid);
      if (!this.drag) this.mark(this.stages.get(name), grid);
    }
  }

  paint(stage, { cells, element }) {
    const { values, columns } = this.shown[stage.name];
    const { digits, settings } = this.data;
    const limits = this.data.limits[stage.name];
    const look = `${limits},${digits},${settings.causal}`;
    cells.forEach((cell, at) => {
      if (Object.is(cell.value, values[at]) && cell.look === look) return;
      cell.value = values[at];
      cell.look = look;
      const later = settings.causal && at % columns > Math.floor(at / columns);
      cell.masked = later && values[at] === { scale: -Infinity, softmax: 0 }[stage.rule];
      const text = cell.masked && values[at] === 0 ? "–" : written(values[at], digits);
      if (cell.firstChild.data !== text) cell.firstChild.data = text;
      const colour = cell.masked ? null : colourOf(values[at], limits, this.data.scales[stage.scale], this.data.signs);
      cell.style.backgroundColor = colour ? `rgb(${colour})` : "";
      const ink = colour ? inkOn(colour) : "";
      if (cell.ink !== ink) cell.style.color = cell.ink = ink;
      toggle(cell, "masked", cell.masked);
    });
    // A column is as wide as the longest number of its matrix; while a cell is dragged it only grows.
    const longest = Math.max(MIN_CHARACTERS, ...cells.map((cell) => cell.firstChild.data.length));
    if (longest > element.longest || (this.settled && longest !== element.longest)) {
      element.style.setProperty("--characters", (element.longest = longest));
    }
  }

  seen(changes) {
    for (const [name, grid] of this.grids) {
      const change = changes.findLast(({ target }) => target === grid.element);
      if (!change) continue;
      grid.inView = change.isIntersecting;
      if (grid.inView) this.paint(this.stages.get(name), grid);
    }
  }

  // What changes with an edit, but not while a cell is dragged: marks, and what is said to a screen reader.
  mark(stage, { cells, element }) {
    const { columns } = this.shown[stage.name];
    element.parentElement.classList.toggle("fresh", Boolean(this.data.fresh?.includes(stage.name)));
    cells.forEach((cell, at) => {
      toggle(cell, "edited", this.isEdited({ matrix: stage.name, row: Math.floor(at / columns), column: at % columns }));
      toggle(cell, "query", stage.rows !== "feature" && Math.floor(at / columns) === this.data.query);
      const label = `${cell.called}: ${cell.masked ? "masked" : cell.firstChild.data}`;
      if (cell.label !== label) cell.setAttribute("aria-label", (cell.label = label));
    });
  }

  // ---- one cell ----

  stage(place) {
    return this.stages.get(place.matrix);
  }

  cellAt(place) {
    return place && this.grids.get(place.matrix)?.cells[place.row * this.shown[place.matrix].columns + place.column];
  }

  valueAt({ matrix, row, column }) {
    return valueAt(this.shown[matrix], row, column);
  }

  // The number of an input, with edits that are not drawn yet.
  givenAt({ matrix, row, column }) {
    return valueAt(this.given[matrix], row, column);
  }

  isEditable(place) {
    return this.stage(place).rule === "given";
  }

  isEdited(place) {
    const pending = this.pending.get(addressOf(place));
    return pending ? pending.value !== null : addressOf(place) in this.data.before;
  }

  // Light up what the cell of now is made from, and say how.
  explain() {
    const place = [this.pinned, this.at, this.data.lit].find((each) => this.cellAt(each)) ?? null;
    const sources = place ? sourcesOf(this.stage(place), place.row, place.column, this.shown) : [];
    const lit = new Map(sources.flat().map((source) => [this.cellAt(source), "source"]));
    if (place) lit.set(this.cellAt(place), "chosen");
    lit.delete(undefined); // a source that is not on this board
    for (const cell of this.marked) {
      for (const mark of ["source", "chosen"]) toggle(cell, mark, lit.get(cell) === mark);
    }
    for (const [cell, mark] of lit) toggle(cell, mark, true);
    this.marked = new Set(lit.keys());
    this.panel.show(place, sources);
  }

  choose(place) {
    if (addressOf(place) === addressOf(this.at)) return;
    this.at = place;
    if (!this.pinned) this.explain();
  }

  pin(place) {
    this.pinned = addressOf(this.pinned) === addressOf(place) ? null : place;
    this.explain();
  }

  letGo() {
    this.pinned = null;
    this.panel.trail = [];
    this.panel.say("");
    this.explain();
  }

  focus(place) {
    const cell = this.cellAt(place);
    if (!cell) return;
    for (const other of this.grids.get(place.matrix).cells) {
      if (other.tabIndex === 0 && other !== cell) other.tabIndex = -1;
    }
    cell.tabIndex = 0;
    cell.focus();
  }

  // ---- changing ----

  // Show what a cell's new number does to every matrix, with the next frame.
  change(place, value) {
    if (!this.fits(place)) return;
    const { columns, values } = this.given[place.matrix];
    values[place.row * columns + place.column] = Math.fround(value);
    this.at = place;
    this.settled = false;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (!this.settled) this.show(evaluate(this.data.stages, this.given, this.data.settings));
    });
  }

  // Send edits, { matrix, row, column, value } with null for a cell that is to be reset. Python may get only the
  // last of several messages that follow fast, so each holds all edits that have not been answered.
  commit(edits) {
    this.panel.say("");
    this.overtook ||= this.pending.size > 0;
    this.number = Math.max(Date.now(), (this.number ?? 0) + 1);
    for (const edit of edits) this.pending.set(addressOf(edit), { ...edit, number: this.number });
    const sent = [...this.pending.values()].map(({ matrix, row, column, value }) => ({ matrix, row, column, value }));
    this.send({ number: this.number, edits: sent });
    for (const edit of edits) {
      const value = edit.value ?? this.data.before[addressOf(edit)] ?? this.valueAt(edit);
      if (Math.fround(value) !== this.givenAt(edit)) this.change(edit, value); // else it is shown, as after a drag
    }
  }

  // A run that the next edit ended early can leave the URL behind by one edit: a run without an edit mends that.
  sayAgain() {
    this.overtook = false;
    setTimeout(() => this.pending.size || this.send({ number: this.number, edits: [] }), SOON_MS);
  }

  reset(place) {
    this.commit([{ ...place, value: null }]);
  }
}
