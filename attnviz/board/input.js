// Input on the board: pointing, dragging, keys, typing and pasting.

import { written } from "./values/numbers.js";
import { blockIn, openBox, refusal } from "./editing.js";
import { KEYS, press } from "./keys.js";
import { addressOf, placeOf } from "./places.js";
import { draggedTo } from "./spine/ruler.js";
import { readCell } from "./values/typed_numbers.js";
import { focusedBeside, followPointer } from "../scripts/parts.js";
import { say } from "../scripts/sentences.js";

const DRAG_STARTS = 8; // pixels: a press that moves less is a click, and changes no number

export class Input {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    this.kept = false; // whether the cell with the focus stays chosen, wherever the pointer is
    this.typing = false; // whether a box to type into is open
    this.held = false; // whether a pointer holds a number
    this.dragged = false; // whether the last press became a drag, so that the click that ends it doesn't count
    this.clicked = ""; // the address of the cell that was clicked last
    this.twice = false; // whether that was the second click of a double click on it
    const { root } = board;
    const heard = /** @type {const} */ (["pointerdown", "pointerover", "pointerleave", "focusin", "focusout", "keydown",
      "click", "dblclick", "paste"]);
    for (const type of heard) root.addEventListener(type, (/** @type {any} */ event) => this[type](event), board.ended);
    window.addEventListener("keydown", (event) => this.escape(event), { capture: true, signal: board.ended.signal });
  }

  get focused() {
    return this.placeOf(focusedBeside(this.board.root));
  }

  placeOf(/** @type {EventTarget | null} */ element) {
    return placeOf(element, this.board.stages);
  }

  // While the pointer is on no cell, the cell with the focus counts; while it's on the panel, nothing changes, because
  // the panel describes the current cell.
  pointerover(/** @type {PointerEvent} */ event) {
    const place = this.placeOf(event.target) ?? this.focused;
    if (place && !this.kept && !this.board.drag && !inPanel(event.target)) this.board.pointing.choose(place);
  }

  pointerleave() {
    if (!this.kept && !this.board.drag) this.board.pointing.choose(this.focused);
  }

  focusin(/** @type {FocusEvent} */ event) {
    const place = this.placeOf(event.target);
    if (!place) return;
    this.board.panel.arriveAt(place);
    this.board.pointing.choose(place);
  }

  focusout(/** @type {FocusEvent} */ event) {
    const { relatedTarget } = event;
    if (!(relatedTarget instanceof Node) || !this.board.root.contains(relatedTarget)) this.kept = false;
  }

  pointerdown(/** @type {PointerEvent} */ event) {
    const { board } = this;
    const place = this.placeOf(event.target);
    if (!place) return;
    if (this.held) return event.preventDefault(); // a second finger takes no focus either
    this.dragged = false;
    board.focus(place);
    if (!board.isEditable(place) || event.button !== 0) return;
    event.preventDefault();
    this.dragFrom(place, event);
  }

  // A click pins a cell, or unpins it. The second click of a double click does neither, because it opens the box to
  // type into. The browser's own count goes by the pointer's place alone, but pinning may unfold rows and bring another
  // cell there: so the cell is compared, too.
  click(/** @type {MouseEvent} */ event) {
    const key = event.target instanceof HTMLElement ? event.target.dataset.key : undefined;
    if (key !== undefined) return this.board.picking.turnReaders(Number(key));
    const place = this.placeOf(event.target);
    const address = addressOf(place);
    this.twice = event.detail > 1 && address === this.clicked;
    this.clicked = address;
    if (!place || this.dragged || this.twice) return;
    const { board } = this;
    this.kept = false; // so that a pinned cell stays chosen, but an unpinned one doesn't
    board.pointing.pin(board.pointing.isPinned(place) ? null : place);
  }

  // Follow a pointer that was pressed: call `move` as it moves, and `end` when the button is released, with false if
  // Escape or the browser cancelled it.
  /** @param {PointerEvent} pressed @param {(moved: PointerEvent) => void} move @param {(take: boolean) => void} end */
  follow(pressed, move, end) {
    const { board } = this;
    const finish = (/** @type {boolean} */ take) => {
      stop();
      window.removeEventListener("keydown", cancel, true);
      this.held = false;
      end(take);
    };
    const cancel = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !board.drag) return;
      event.stopPropagation(); // so that the cell doesn't hear it, and a pinned one stays pinned
      finish(false);
    };
    this.held = true;
    const acts = { pointermove: move, pointerup: () => finish(true), pointercancel: () => finish(false) };
    const stop = followPointer(pressed, acts, board.ended);
    // captured, so that it runs before the cell hears the key
    window.addEventListener("keydown", cancel, { capture: true, signal: board.ended.signal });
  }

  // Let a number follow the pointer. If it ends with the number that it began with, nothing is edited.
  /** @param {Place} place @param {PointerEvent} pressed */
  dragFrom(place, pressed) {
    const { board } = this;
    const before = board.givenAt(place);
    let held = false;
    const move = (/** @type {PointerEvent} */ moved) => {
      const way = moved.clientX - pressed.clientX;
      if (!held && Math.abs(way) < DRAG_STARTS) return;
      if (!held) {
        held = this.dragged = true;
        board.editing.hold({ ...place, value: before }, pressed.clientX);
      }
      const value = draggedTo(before, way, board.ruler.perOne, moved.shiftKey, board.uneditedAt(place));
      if (value === board.drag?.value) return;
      board.drag = { ...place, value };
      board.editing.change(place, value);
    };
    this.follow(pressed, move, (take) => {
      const edit = board.drag;
      this.kept = false; // after a drag, readers look at what it did
      board.editing.release(edit && take && edit.value !== before ? [edit] : [], [{ ...place, value: before }]);
      board.pointing.calm = true;
      board.pointing.explain(); // shows all cells that the number feeds
    });
  }

  keydown(/** @type {KeyboardEvent} */ event) {
    const place = this.placeOf(event.target);
    if (place && press(KEYS.cells, this.board, event, place)) event.preventDefault();
    else if (event.key === "Escape" && inPanel(event.target) && this.board.at) this.board.focus(this.board.at);
  }

  // Escape first ends what was begun last: the plane, or Play. It does so with the focus on this board or nowhere.
  escape(/** @type {KeyboardEvent} */ event) {
    const { drag, pinned, planeOver, play, sentence: { tools }, root } = this.board;
    const nowhere = event.target === document.body;
    const here = nowhere || event.composedPath().includes(root);
    if (event.key !== "Escape" || drag || this.typing || tools.end || this.board.keys.isOpen || !here) return;
    if (planeOver ? pinned : !play.active) return;
    event.stopImmediatePropagation(); // so that only one of several boards ends something
    if (planeOver) tools.turnPlane(nowhere ? document.body : tools.why);
    else play.stop();
  }

  dblclick(/** @type {MouseEvent} */ event) {
    const place = this.placeOf(event.target);
    if (!place || !this.twice || !this.board.isEditable(place)) return;
    const text = written(this.board.givenAt(place), this.board.data.digits);
    this.type(place, text, text);
  }

  // Open a box over a cell, to type into. If its text is still `shown` at the end, nothing is edited.
  /** @param {Place} place @param {string} text @param {string | null} shown */
  type(place, text, shown = null) {
    openBox(this.board, place, text, shown, (open) => (this.typing = open));
  }

  // Paste a block of numbers from a spreadsheet over the matrix; its first number goes into the cell with the focus.
  paste(/** @type {ClipboardEvent} */ event) {
    const { board } = this;
    const place = this.focused;
    if (!place) return;
    event.preventDefault();
    if (!board.isEditable(place)) {
      board.panel.say(say("board.paste.computed", { symbol: board.stage(place).symbol }));
      return;
    }
    const { rows, columns } = board.shown[place.matrix];
    const { lines, outside } =
      blockIn(event.clipboardData?.getData("text") ?? "", rows - place.row, columns - place.column);
    /** @type {Edit[]} */
    const edits = [];
    /** @type {string[]} */
    const refused = [];
    lines.forEach((line, down) => {
      line.forEach((text, right) => {
        const cell = { matrix: place.matrix, row: place.row + down, column: place.column + right };
        const { value, reason = "" } = readCell(cell.matrix, text);
        if (value === undefined) refused.push(refusal(board, cell, text, reason));
        else edits.push({ ...cell, value });
      });
    });
    if (edits.length) board.editing.commit(edits);
    const left = [];
    if (refused.length) left.push(refused.length === 1 ? refused[0]
      : say("board.paste.no_number", { n: refused.length }));
    if (outside) left.push(say("board.paste.outside", { n: outside }));
    if (left.length && edits.length) left.unshift(say("board.paste.taken", { n: edits.length }));
    if (left.length) board.panel.say(left.join(" "));
  }
}

function inPanel(/** @type {EventTarget | null} */ target) {
  return target instanceof Element && target.closest(".panel") !== null;
}
