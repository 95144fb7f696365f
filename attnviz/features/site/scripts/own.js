// The reader's own sentence, computed in the page.

import { say } from "../../../scripts/sentences.js";
import { Kinds, boardOf, tokensOf } from "./own_words.js";

export class Own {
  place = "#typed";
  /** @type {string[]} */
  lines = [];
  /** @type {Kinds | null} */
  kinds = null;

  /** @param {{ height: number, bare(part: string[]): Tells | null, done(name: string): void }} telling */
  constructor(telling) {
    this.telling = telling;
    const section = /** @type {HTMLElement} */ (document.querySelector("#own"));
    this.form = /** @type {HTMLFormElement} */ (section.querySelector("form"));
    this.aside = /** @type {HTMLElement} */ (section.querySelector(".aside"));
    this.app = /** @type {HTMLAnchorElement | null} */ (section.querySelector(".to-app"));
    this.input = /** @type {HTMLInputElement} */ (this.form.querySelector("input"));
    this.form.hidden = false;
    this.form.onsubmit = (event) => {
      event.preventDefault();
      if (this.read(this.input.value)) this.telling.done("own");
    };
    this.sentence = this.input.value;
    this.input.oninput = () => this.leadOn();
    this.leadOn();
  }

  // Draw the sentence that was read last: what is being typed isn't one yet.
  show() {
    this.read(this.sentence);
  }

  // Have the app open what is typed.
  leadOn() {
    if (!this.app) return;
    const address = new URL(this.app.href);
    address.searchParams.set("text", this.input.value);
    this.app.href = address.href;
  }

  // Draw the board of a sentence; return whether there is one.
  /** @param {string} sentence @returns {boolean} */
  read(sentence) {
    const { own } = window.attnvizSite ?? {};
    if (!own) return false;
    this.sentence = sentence;
    const tokens = tokensOf(sentence);
    const wrong = tokens.length < own.fewest ? say("site.story.own.few", { fewest: own.fewest })
      : tokens.length > own.most ? say("site.story.own.many", { most: own.most }) : "";
    this.aside.textContent = wrong;
    if (wrong) return false;
    const known = this.kinds ??= new Kinds(own);
    const found = tokens.map((token) => known.of(token));
    const guessed = tokens.filter((_, at) => found[at].guessed);
    if (guessed.length) this.aside.textContent = say("site.story.own.nouns", { words: guessed.join(", ") });
    const kinds = found.map(({ kind }) => kind);
    const inputs = boardOf(own, tokens, kinds, say("site.story.own.about"));
    const data = window.attnvizSiteBoard.filled(inputs);
    data.tells = this.telling.bare(["attention_weights", "context"]);
    if (this.board) this.board.show(data);
    else this.draw(data);
    this.lines = [say("site.story.own.done")];
    return true;
  }

  draw(/** @type {BoardData} */ data) {
    const leads = { height: () => this.telling.height, hears() {}, own: true };
    const place = /** @type {HTMLElement} */ (document.querySelector(this.place));
    this.board = window.attnvizSiteBoard(place, data, { leads });
  }
}
