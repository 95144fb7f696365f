// What a hand does on the board: point, drag, keys, typing, pasting.

const PIXELS_PER_STEP = 4;
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class Input {
  constructor(board) {
    this.board = board;
    this.kept = false; // whether the cell with the focus stays chosen, wherever is pointed
    this.held = false; // whether a number is held by some pointer
    for (const type of ["pointerdown", "pointerover", "pointerleave", "focusin", "focusout", "keydown", "dblclick", "paste"]) {
      board.root.addEventListener(type, (event) => this[type](event));
    }
  }

  get focused() {
    return placeOf(this.board.root.getRootNode().activeElement);
  }

  // Away from all cells, the one with the focus counts; in the panel, the one that it speaks of.
  pointerover(event) {
    const place = placeOf(event.target) ?? this.focused;
    if (place && !this.kept && !this.board.drag && !event.target.closest(".panel")) this.board.choose(place);
  }

  pointerleave() {
    if (!this.kept && !this.board.drag) this.board.choose(this.focused);
  }

  focusin(event) {
    const place = placeOf(event.target);
    if (!place) return;
    this.board.panel.arriveAt(place);
    this.board.choose(place);
  }

  focusout(event) {
    if (!this.board.root.contains(event.relatedTarget)) this.kept = false;
  }

  pointerdown(event) {
    const { board } = this;
    const place = placeOf(event.target);
    if (!place) return;
    if (this.held) return event.preventDefault(); // a second finger takes no focus either
    board.focus(place);
    this.kept = true;
    if (!board.isEditable(place) || event.button !== 0) return;
    event.preventDefault();
    this.dragFrom(place, event);
  }

  // Until the button is let go, a number follows the hand; back where it was, or with Escape, nothing is edited.
  dragFrom(place, pressed) {
    const { board } = this;
    const before = board.givenAt(place);
    let steps = 0;
    const move = (moved) => {
      steps = Math.trunc((moved.clientX - pressed.clientX) / PIXELS_PER_STEP);
      if (!board.drag && steps === 0) return;
      board.drag = { ...place, value: stepped(before, steps, moved.shiftKey) };
      board.change(place, board.drag.value);
    };
    const end = (take) => {
      stop();
      window.removeEventListener("keydown", cancel, true);
      this.held = false;
      const edit = board.drag;
      board.drag = null;
      this.kept = !edit; // by a click; after a drag, one looks at what it did
      if (edit && take && steps !== 0) board.commit([edit]);
      else if (edit) board.restore(place, before);
    };
    const cancel = (event) => {
      if (event.key !== "Escape" || !board.drag) return;
      event.stopPropagation(); // what is pinned stays pinned
      end(false);
    };
    this.held = true;
    const stop = followPointer(pressed, { pointermove: move, pointerup: () => end(true), pointercancel: () => end(false) });
    window.addEventListener("keydown", cancel, true); // before the cell hears of it
  }

  keydown(event) {
    const place = placeOf(event.target);
    if (place && this.press(event, place)) event.preventDefault();
    else if (event.key === "Escape" && event.target.closest(".panel")) this.board.focus(this.board.at);
  }

  // Do what a key stands for; return whether it stands for anything.
  press(event, place) {
    const { board } = this;
    const editable = board.isEditable(place);
    const [down, right] = ARROWS[event.key] ?? [0, 0];
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    if ((down || right) && event.altKey && editable) {
      board.commit([{ ...place, value: stepped(board.givenAt(place), right - down, event.shiftKey) }]);
    } else if ((down || right) && !modified) {
      const { rows, columns } = board.shown[place.matrix];
      const within = (at, length) => Math.min(length - 1, Math.max(0, at));
      board.focus({ ...place, row: within(place.row + down, rows), column: within(place.column + right, columns) });
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      this.kept = true;
      board.panel.takeFocus();
    } else if (event.key === "Enter" && !modified) {
      board.pin(board.isPinned(place) ? null : place);
    } else if (event.key === "Escape") {
      this.kept = false;
      board.letGo();
    } else if (event.key === "Delete" && editable && board.isEdited(place)) {
      board.reset(place);
    } else if (editable && !modified && /^\S$/u.test(event.key)) {
      this.type(place, event.key);
    } else {
      return false;
    }
    return true;
  }

  dblclick(event) {
    const place = placeOf(event.target);
    if (!place || !this.board.isEditable(place)) return;
    const text = written(this.board.givenAt(place), this.board.data.digits);
    this.type(place, text, text);
  }

  // Open a box over a cell, to type into; what is left as it is `shown` edits nothing.
  type(place, text, shown = null) {
    const { board } = this;
    const input = make("input", "typed");
    input.value = text;
    input.setAttribute("aria-label", `New number for ${placeInWords(board.made, place)}`);
    const box = board.cellAt(place).getBoundingClientRect();
    const origin = board.root.getBoundingClientRect();
    const style = { left: box.left - origin.left, top: box.top - origin.top, width: Math.max(box.width, 80), height: box.height };
    const zoom = origin.width / board.root.offsetWidth; // in a presentation all is drawn larger than it is laid out
    for (const [side, pixels] of Object.entries(style)) input.style[side] = `${pixels / zoom}px`;
    let done = false;
    const end = (take, leave) => {
      if (done) return;
      done = true;
      const value = numberIn(input.value);
      input.remove();
      if (!leave) board.focus(place);
      if (input.value === shown) return;
      if (take && value !== null) board.commit([{ ...place, value }]);
      else if (take) board.panel.say(this.refused(place, input.value));
    };
    input.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    };
    input.onblur = () => end(true, true);
    board.root.append(input);
    input.focus();
    if (text.length > 1) input.select();
  }

  refused({ matrix, row, column }, text) {
    const { board } = this;
    const cell = `${board.stages.get(matrix).symbol}[${row}, ${column}]`;
    const still = written(board.givenAt({ matrix, row, column }), board.data.digits);
    const what = text.trim() ? `“${text}” is no number that float32 can hold` : "An empty cell is no number";
    return `${what}; ${cell} keeps ${still}.`;
  }

  // A block from a spreadsheet, laid over the matrix from the cell with the focus on.
  paste(event) {
    const { board } = this;
    const place = this.focused;
    if (!place) return;
    event.preventDefault();
    if (!board.isEditable(place)) {
      board.panel.say(`${board.stage(place).symbol} is computed: paste into X, a W or a bias.`);
      return;
    }
    const { rows, columns } = board.shown[place.matrix];
    const { lines, outside } = blockIn(event.clipboardData.getData("text"), rows - place.row, columns - place.column);
    const edits = [];
    const left = { "no number": 0, "outside of the matrix": outside };
    lines.forEach((line, down) => {
      line.forEach((text, right) => {
        const value = numberIn(text);
        if (value === null) left["no number"] += 1;
        else edits.push({ matrix: place.matrix, row: place.row + down, column: place.column + right, value });
      });
    });
    if (edits.length) board.commit(edits);
    const parts = Object.entries(left).filter(([, count]) => count).map(([why, count]) => `${count} ${why}`);
    const taken = `${edits.length} pasted ${edits.length === 1 ? "number" : "numbers"} taken`;
    if (parts.length || !edits.length) board.panel.say(`${[taken, ...parts].join(", ")}.`);
  }
}

// A value moved by so many steps, of a hundredth, or of a tenth; numbers beyond ten have larger steps.
export function stepped(value, steps, large = false) {
  if (steps === 0) return value;
  const size = Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)));
  const power = size - (large ? 1 : 2);
  if (power > 15) return value + steps * 10 ** power;
  return Number((value + steps * Number(`1e${power}`)).toFixed(Math.max(0, 4 - size)));
}

// The number that a text is, or null where it is none that float32 can hold.
export function numberIn(text) {
  const plain = text.trim().replace(/[\u2212\u2013]/g, "-").replace(",", ".");
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return null;
  return Number.isFinite(Math.fround(Number(plain))) ? Number(plain) : null;
}

// The cells of a pasted block that fall within so many rows and columns, line by line, and how many fall outside.
// What is outside is counted and never taken apart: a block may have megabytes.
export function blockIn(text, rows, columns) {
  const tabbed = /[\t;]/.test(text);
  const separator = tabbed ? /[\t;]/g : hasDecimalCommas(text) ? /\s+/g : /[\s,]+/g;
  const lines = [];
  let outside = 0;
  for (const line of linesOf(text)) {
    const trimmed = tabbed ? line : line.trim();
    const cells = lines.length < rows ? trimmed.split(separator, columns) : [];
    if (cells.length) lines.push(cells);
    outside += 1 - cells.length;
    while (separator.test(trimmed)) outside += 1;
  }
  return { lines, outside };
}

// Between blanks, as between tabs or semicolons, a comma is a decimal one, and so it is in a number alone, which is read
// as if it were typed; else it parts cells, as in CSV.
function hasDecimalCommas(text) {
  if (numberIn(text) !== null) return true;
  for (const line of linesOf(text)) {
    if (line.includes(",") && (/,\s|\s,/.test(line) || !/\S\s+\S/.test(line))) return false;
  }
  return true;
}

// The lines of a text one by one, without the breaks at its end.
function* linesOf(text) {
  let end = text.length;
  while ("\r\n".includes(text[end - 1] ?? " ")) end -= 1;
  for (let start = 0, stop; start <= end; start = stop + 1) {
    stop = text.indexOf("\n", start);
    if (stop < 0 || stop > end) stop = end;
    yield text.slice(start, stop < end && text[stop - 1] === "\r" ? stop - 1 : stop);
  }
}
