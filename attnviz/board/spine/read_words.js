// The words that are read, where these are others than those that read, or more: they stand behind these, and pressed,
// each shows who reads it.

import { make, toggle, write } from "../cells/elements.js";
import { say } from "../../scripts/sentences.js";

/** @import { Board } from "../board.js" */

export class ReadWords {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {HTMLButtonElement[]} */
    this.chips = [];
  }

  // Made anew, without a place.
  build() {
    const { board } = this;
    const { keys, others } = board.data;
    const own = board.stages.get("attention_weights")?.own_from ?? null;
    const off = board.data.ribbons === false || board.story.told; // nothing would show who reads it
    this.chips = (others ? keys : []).map((label, at) => {
      const chip = make("button", "chip read", [label]);
      chip.type = "button";
      const read = say(`board.chips.${own === null ? "read" : at < own ? "kept" : "own"}`, { token: label });
      chip.title = off ? read : say("board.chips.press", { read });
      chip.disabled = off;
      chip.onclick = () => board.picking.showReadersOf(board.byReaders && at === board.key ? null : at);
      return chip;
    });
    this.mark();
  }

  // Which of them it is of which readers are shown.
  mark() {
    const { board } = this;
    this.chips.forEach((chip, at) => {
      const on = board.byReaders && at === board.key;
      toggle(chip, "on", on);
      write(chip, "aria-pressed", String(on));
      write(chip, "tabindex", at === board.key ? "0" : "-1");
    });
  }

  // A key moves on from one of them to another; false where none of them has the focus.
  /** @param {KeyboardEvent} event @param {number} step */
  keydown(event, step) {
    const at = this.chips.findIndex((chip) => chip === event.target);
    if (at < 0) return false;
    if (!step) return true;
    const next = (at + step + this.chips.length) % this.chips.length;
    event.preventDefault();
    this.chips[next].focus();
    this.board.picking.showReadersOf(next);
    return true;
  }
}
