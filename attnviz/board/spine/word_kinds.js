// Notes and buttons on the kinds of words (noun, adjective, verb), where the vectors in X stand for these.

import { button, make } from "../cells/elements.js";
import { say } from "../../scripts/sentences.js";

/** @typedef {{ title: string, act: () => void }} Act */

export class WordKinds {
  /** @param {Pick<Board, "data" | "picked" | "sender">} board @param {() => void} redraw */
  constructor(board, redraw) {
    this.board = board;
    this.redraw = redraw;
    this.element = make("span", "kinds");
    this.dismissed = ""; // the sentence of which the reader said that no word is its verb
    this.drawn = "";
  }

  get words() {
    return this.board.data.words ?? null;
  }

  // The note on the picked word, a missing verb or changed vectors; it replaces the server's note on all numbers. ""
  // for none.
  get note() {
    const { words } = this;
    return words ? words.tokens[this.board.picked]?.note || this.verb?.note || words.changed : "";
  }

  get verb() {
    const { words, board } = this;
    const ofWord = words?.tokens[board.picked]?.note;
    return words?.verb.note && !ofWord && this.dismissed !== board.data.text ? words.verb : null;
  }

  // Show the note with its buttons, and the buttons for the whole sentence.
  show(/** @type {boolean} */ quiet) {
    const acts = quiet ? [] : this.acts();
    const note = quiet ? "" : this.note;
    const drawn = [note, ...acts.map(({ title }) => title)].join("\n");
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const buttons = acts.map(({ title }, at) => button("kind", title, () => this.acts()[at]?.act()));
    this.element.replaceChildren(note, ...buttons);
  }

  /** @returns {Act[]} */
  acts() {
    const { words, verb, board } = this;
    if (!words) return [];
    const { choices } = words.tokens[board.picked]?.note ? words.tokens[board.picked] : (verb ?? { choices: [] });
    const chosen = choices.map(({ title, word_classes }) =>
      ({ title, act: () => board.sender.send({ word_classes }) }));
    const none = verb ? [{ title: say("words.act.none"), act: () => this.dismiss() }] : [];
    return [...chosen, ...none, ...words.acts.map(({ title, patch, page }) =>
      ({ title, act: () => this.lead(patch, page) }))];
  }

  dismiss() {
    this.dismissed = this.board.data.text;
    this.redraw();
  }

  /** @param {import("../../scripts/query.js").Patch} patch @param {string | null} page */
  lead(patch, page) {
    this.board.sender.send(patch);
    if (page !== null) this.board.sender.page?.go(page);
  }
}
