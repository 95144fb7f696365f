// The reader's own sentence, computed in the page.

import { baseOf } from "../../../board/values/matrices.js";
import { say } from "../../../scripts/sentences.js";
import { Kinds, boardOf, tokensOf } from "./own_words.js";

export class Own {
  place = "#typed";
  /** @type {string[]} */
  lines = [];
  /** @type {Kinds | null} */
  kinds = null;
  /** @type {string[]} */
  tokens = []; // of the sentence on the board

  /** @param {{ height: number, bare(part: string[]): Tells | null, done(name: string): void }} telling */
  constructor(telling) {
    this.telling = telling;
    const section = /** @type {HTMLElement} */ (document.querySelector("#own"));
    this.form = /** @type {HTMLFormElement} */ (section.querySelector("form"));
    this.aside = /** @type {HTMLElement} */ (section.querySelector(".aside"));
    this.app = /** @type {HTMLAnchorElement | null} */ (section.querySelector(".to-app"));
    this.input = /** @type {HTMLInputElement} */ (this.form.querySelector("[name=text]"));
    this.settings = /** @type {HTMLFieldSetElement} */ (this.form.querySelector("fieldset"));
    this.form.hidden = false;
    this.form.onsubmit = (event) => {
      event.preventDefault();
      if (this.read(this.input.value)) this.telling.done("own");
    };
    this.sentence = this.input.value;
    this.input.oninput = () => this.leadOn();
    this.settings.onchange = () => this.read(this.sentence);
    this.leadOn();
  }

  // Draw the sentence that was read last: what is being typed isn't one yet.
  show() {
    this.read(this.sentence);
  }

  // The name of the set-up that the reader chose: own_words.py writes it, too.
  get setUp() {
    const chosen = /** @type {(HTMLInputElement | HTMLSelectElement)[]} */ ([...this.settings.elements]);
    return chosen.map((each) => each instanceof HTMLInputElement && !each.checked ? each.dataset.off : each.value)
      .join(",");
  }

  // Let the link to the app carry all that there is: what is typed, the set-up, the edits, and what was picked.
  leadOn() {
    const { app, board } = this;
    if (!app) return;
    const { own } = window.attnvizSite ?? {};
    const address = new URL(app.href);
    const { searchParams: query } = address;
    if (own) address.search = own.boards[this.setUp].query;
    query.set("text", this.input.value);
    if (own && board) {
      const isSame = String(tokensOf(this.input.value)) === String(this.tokens);
      const edits = board.editsText(query.get("edits") ?? "", (edit) => isSame || isOfWeights(edit));
      if (edits) query.set("edits", edits);
      if (isSame) query.set("query", String(board.picked));
      if (isSame && board.head) query.set("head", String(board.head));
    }
    app.href = address.href;
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
    const inputs = boardOf(own, this.setUp, tokens, kinds, say("site.story.own.about"));
    const data = window.attnvizSiteBoard.filled(inputs);
    data.tells = this.telling.bare(["attention_weights", "context"]);
    const isSame = String(tokens) === String(this.tokens);
    this.tokens = tokens;
    if (this.board) this.board.show(isSame ? { ...data, query: this.board.picked } : data,
      (edit) => isSame || isOfWeights(edit));
    else this.draw(data);
    this.lines = [say("site.story.own.done")];
    this.leadOn();
    return true;
  }

  draw(/** @type {BoardData} */ data) {
    const leads = { height: () => this.telling.height, onEvent: () => this.leadOn(), own: true };
    const place = /** @type {HTMLElement} */ (document.querySelector(this.place));
    this.board = window.attnvizSiteBoard(place, data, { leads });
  }
}

// Whether an edit is of a matrix that doesn't depend on the sentence.
function isOfWeights(/** @type {Edit} */ { matrix }) {
  return baseOf(matrix).startsWith("w_");
}
