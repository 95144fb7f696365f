// What a hand does on the board: point, drag, keys, typing, pasting.

import { make } from "./elements.js";
import { namedCell } from "./cell.js";
import { placeInWords } from "./explain.js";
import { written } from "./numbers.js";
import { blockIn } from "./pasting.js";
import { placeOf } from "./places.js";
import { stepped } from "./stepping.js";
import { readNumber, whyNoNumber } from "./typed_numbers.js";
import { followPointer } from "../scripts/pointer.js";
import { say } from "../scripts/sentences.js";

const PIXELS_PER_STEP = 4;
const DRAG_STARTS = 8; // pixels: a hand that trembles less clicks, and changes nothing
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Input {
  constructor(board) {
    this.board = board;
    this.kept = false; // whether the cell with the focus stays chosen, wherever is pointed
    this.typing = false; // whether a box to type into is open
    this.held = false; // whether a number is held by some pointer
    this.dragged = false; // whether it was, and what ends with it is no click
    for (const type of ["pointerdown", "pointerover", "pointerleave", "focusin", "focusout", "keydown", "click", "dblclick", "paste"]) {
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
    this.dragged = false;
    board.focus(place);
    if (!board.isEditable(place) || event.button !== 0) return;
    event.preventDefault();
    this.dragFrom(place, event);
  }

  // A click pins a cell, or unpins it; the second click of two does neither, as it opens the box to type into.
  click(event) {
    const place = placeOf(event.target);
    if (!place || this.dragged || event.detail > 1) return;
    const { board } = this;
    this.kept = false; // what is pinned stays, and what is unpinned does not
    if (board.isPinned(place)) board.pin(null);
    else board.pin(place);
  }

  // Until the button is released, a number follows the hand; back where it was, or with Escape, nothing is edited.
  dragFrom(place, pressed) {
    const { board } = this;
    const before = board.givenAt(place);
    let steps = 0;
    let start = null; // from where steps are counted, once it is a drag
    const move = (moved) => {
      const way = moved.clientX - pressed.clientX;
      if (start === null && Math.abs(way) < DRAG_STARTS) return;
      start ??= Math.sign(way) * DRAG_STARTS;
      steps = Math.trunc((way - start) / PIXELS_PER_STEP);
      this.dragged = true;
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
      this.kept = false; // after a drag, one looks at what it did
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
      board.commit([{ ...place, value: stepped(board.givenAt(place), right - down, event.shiftKey) }], event.repeat);
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
      board.unpin();
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
    input.setAttribute("aria-label", say("board.type.label", { where: placeInWords(board.made, place) }));
    const cell = board.cellAt(place);
    const box = cell.getBoundingClientRect();
    const origin = board.root.getBoundingClientRect();
    const zoom = origin.width / board.root.offsetWidth; // in a presentation all is drawn larger than it is laid out
    const style = { left: box.left - origin.left, top: box.top - origin.top, height: box.height };
    for (const [side, pixels] of Object.entries(style)) input.style[side] = `${pixels / zoom}px`;
    // Its cell's own box, and more only for a text that is longer.
    const fit = () => (input.style.width = `max(${box.width / zoom}px, ${input.value.length}ch + 6px)`);
    fit();
    input.oninput = fit;
    input.style.fontSize = getComputedStyle(cell).fontSize;
    let done = false;
    this.typing = true;
    const end = (take, leave) => {
      if (done) return;
      done = true;
      this.typing = false;
      setTimeout(() => board.catchUp()); // after what was typed is taken
      input.remove();
      if (!leave) board.focus(place);
      if (!take || input.value === shown) return;
      const { value, reason } = readNumber(input.value);
      if (reason) board.panel.say(this.refused(place, input.value, reason));
      else board.commit([{ ...place, value }]);
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

  refused(place, text, reason) {
    const { board } = this;
    const value = written(board.givenAt(place), board.data.digits);
    return say("typed.keeps", { why: whyNoNumber(text, reason), cell: namedCell(board, place), value });
  }

  // A block from a spreadsheet, laid over the matrix from the cell with the focus on.
  paste(event) {
    const { board } = this;
    const place = this.focused;
    if (!place) return;
    event.preventDefault();
    if (!board.isEditable(place)) {
      board.panel.say(say("board.paste.computed", { symbol: board.stage(place).symbol }));
      return;
    }
    const { rows, columns } = board.shown[place.matrix];
    const { lines, outside } = blockIn(event.clipboardData.getData("text"), rows - place.row, columns - place.column);
    const edits = [];
    const refused = [];
    lines.forEach((line, down) => {
      line.forEach((text, right) => {
        const cell = { matrix: place.matrix, row: place.row + down, column: place.column + right };
        const { value, reason } = readNumber(text);
        if (reason) refused.push(this.refused(cell, text, reason));
        else edits.push({ ...cell, value });
      });
    });
    if (edits.length) board.commit(edits);
    const left = [];
    if (refused.length) left.push(refused.length === 1 ? refused[0] : say("board.paste.no_number", { n: refused.length }));
    if (outside) left.push(say("board.paste.outside", { n: outside }));
    if (left.length) board.panel.say([...(edits.length ? [say("board.paste.taken", { n: edits.length })] : []), ...left].join(" "));
  }
}
