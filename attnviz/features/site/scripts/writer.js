// The story's recorded tree of next words, through which the reader chooses a way.

import { make } from "../../../board/cells/elements.js";
import { percent } from "../../../board/values/numbers.js";
import { say } from "../../../scripts/sentences.js";

/** @import { Tree } from "./story_types.js" */

const LIKELY = 0.5; // a word of at least this probability is one that the model recalls

export class Writer {
  place = "#writer";
  /** @type {string[]} */
  words = [];
  /** @type {number[]} */
  chances = [];
  /** @type {string[]} */
  lines = [];

  /** @param {{ done(name: string): void, showOutcome(section: HTMLElement): void }} telling */
  constructor(telling) {
    this.telling = telling;
    this.element = /** @type {HTMLElement} */ (document.querySelector("#writer"));
  }

  show() {
    const { writing } = window.attnvizSite ?? {};
    if (writing) this.draw(this.treeAt(writing.tree));
  }

  // The branches of the tree after the words chosen so far.
  /** @param {Tree} tree @returns {Tree | undefined} */
  treeAt(tree) {
    /** @type {Tree | undefined} */
    let at = tree;
    for (const word of this.words) at = at?.find(([each]) => each === word)?.[2];
    return at;
  }

  draw(/** @type {Tree | undefined} */ tree) {
    const { writing } = window.attnvizSite ?? {};
    if (!writing) return;
    const [soFar, list] = /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll(".so-far, .next-words")]);
    soFar.replaceChildren(`${writing.text} `, ...this.words.flatMap((word) => [make("b", "", [word]), " "]));
    const choices = (tree ?? []).map(([word, chance, more]) => {
      const bar = make("span", "bar", [], { "aria-hidden": "true" });
      bar.style.setProperty("--share", String(chance));
      const way = make("button", "", [make("span", "word", [word]), bar, make("span", "", [percent(chance)])],
        { type: "button" });
      way.onclick = () => this.write(word, chance, more);
      return make("li", "", [way]);
    });
    if (this.words.length) {
      const again = make("button", "again", [say("site.story.writing.again")], { type: "button" });
      again.onclick = () => {
        [this.words, this.chances] = [[], []];
        this.show();
        this.element.querySelector("button")?.focus();
      };
      choices.push(make("li", "", [again]));
    }
    list.setAttribute("aria-label", say("site.story.writing.choose"));
    list.replaceChildren(...choices);
  }

  /** @param {string} word @param {number} chance @param {Tree | undefined} more */
  write(word, chance, more) {
    this.words.push(word);
    this.chances.push(chance);
    this.draw(more);
    this.element.querySelector("button")?.focus();
    if (more?.length) return;
    const words = this.words.join(" ");
    const least = Math.min(...this.chances.slice(1)); // of a first word alone, ∞
    this.lines = [this.chances.length === 1 ? say("site.story.writing.name", { words, share: percent(chance) })
      : least < LIKELY ? say("site.story.writing.unlikely", { words, least: percent(least) })
      : say("site.story.writing.done", { words, least: percent(least) })];
    if (this.chances.length > 1 && least >= LIKELY) this.telling.done("writing");
    this.telling.showOutcome(/** @type {HTMLElement} */ (document.querySelector("#writing")));
  }
}
