// One matrix of the board: a grid of cells, each with its number, colour and marks.

const MIN_CHARACTERS = 6; // in the width of a column

class Grid {
  constructor(board, name) {
    this.board = board;
    this.stage = board.stages.get(name);
    this.inView = true;
    this.longest = 0;
    this.cells = [];
    this.build(board.torch[name]);
    this.matrix = make("div", `matrix ${this.stage.origin}`, [this.title(), this.element]);
  }

  build({ rows, columns }) {
    const { stage } = this;
    this.element = make("div", "grid");
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-label", `${stage.title}, ${rows} by ${columns}: ${stage.meaning}`);
    this.element.style.setProperty("--columns", columns);
    const header = make("div", "line", [make("span", "corner")]);
    for (let column = 0; column < columns; column += 1) header.append(this.label(stage.columns, column, "above"));
    header.setAttribute("aria-hidden", "true");
    this.element.append(header);
    for (let row = 0; row < rows; row += 1) {
      const line = make("div", "line", [this.label(stage.rows, row, "beside")]);
      line.setAttribute("role", "row");
      for (let column = 0; column < columns; column += 1) this.cells.push(this.cell(row, column));
      line.append(...this.cells.slice(-columns));
      this.element.append(line);
    }
  }

  title() {
    const { titles, notes } = this.board.data;
    const { name, title, colour } = this.stage;
    const called = make("b", "", [title]);
    if (colour) called.style.borderBottom = `3px solid ${colour}`;
    const says = [titles[name] === title ? "" : ` = ${titles[name]}`, notes?.[name] ? ` (${notes[name]})` : ""];
    return make("div", "title", [called, ...says]);
  }

  cell(row, column) {
    const place = { matrix: this.stage.name, row, column };
    const cell = make("span", this.stage.rule === "given" ? "cell editable" : "cell");
    cell.setAttribute("role", "gridcell");
    cell.tabIndex = row + column === 0 ? 0 : -1;
    cell.dataset.at = addressOf(place);
    cell.called = placeInWords(this.board.made, place);
    cell.append(""); // its text, of which only the characters change
    return cell;
  }

  label(kind, at, side) {
    const text = kind === "feature" ? String(at) : this.board.data.labels[at];
    const label = make("span", `label ${side}`, [text]);
    label.title = text;
    label.setAttribute("aria-hidden", "true");
    return label;
  }

  // Only cells whose number or colour changed are written.
  paint() {
    const { board, cells, element, stage } = this;
    const { values, columns } = board.shown[stage.name];
    const { digits, settings } = board.data;
    const limits = board.data.limits[stage.name];
    const look = `${limits},${digits},${settings.causal}`;
    cells.forEach((cell, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      const empty = board.isEmpty({ matrix: stage.name, row, column });
      if (Object.is(cell.value, values[at]) && cell.look === look && cell.empty === empty) return;
      Object.assign(cell, { value: values[at], look, empty });
      const later = settings.causal && column > row;
      cell.masked = later && values[at] === { scale: -Infinity, softmax: 0 }[stage.rule];
      const text = empty ? "" : cell.masked && values[at] === 0 ? "–" : written(values[at], digits);
      if (cell.firstChild.data !== text) cell.firstChild.data = text;
      const colour = empty || cell.masked ? null : colourOf(values[at], limits, board.data.scales[stage.scale], board.data.signs);
      const paper = colour ? `rgb(${colour})` : "";
      if (cell.paper !== paper) cell.style.backgroundColor = cell.paper = paper;
      const ink = colour ? inkOn(colour) : "";
      if (cell.ink !== ink) cell.style.color = cell.ink = ink;
      toggle(cell, "masked", cell.masked);
      toggle(cell, "empty", empty);
    });
    // A column is as wide as the longest number of its matrix. While a cell is dragged it only grows, and not for one
    // character, for which there is room: places stay where they are under the hand.
    const longest = Math.max(MIN_CHARACTERS, ...cells.map((cell) => cell.firstChild.data.length));
    if (longest > this.longest + (board.drag ? 1 : 0) || (board.settled && longest !== this.longest)) {
      element.style.setProperty("--characters", (this.longest = longest));
    }
  }

  // What changes with an edit, but not while a cell is dragged: marks, and what is said to a screen reader.
  mark() {
    const { board, stage } = this;
    const { columns } = board.shown[stage.name];
    toggle(this.matrix, "fresh", Boolean(board.data.fresh?.includes(stage.name)));
    this.cells.forEach((cell, at) => {
      const row = Math.floor(at / columns);
      toggle(cell, "edited", board.isEdited({ matrix: stage.name, row, column: at % columns }));
      toggle(cell, "query", stage.rows !== "feature" && row === board.data.query);
      const label = `${cell.called}: ${cell.empty ? "not filled yet" : cell.masked ? "masked" : cell.firstChild.data}`;
      if (cell.label !== label) cell.setAttribute("aria-label", (cell.label = label));
    });
  }
}
