// What a model expects next, after the picked token: bars of the most probable ones, and the first of them in brief.

import { make, toggle } from "../../../board/cells/elements.js";
import { lineOf } from "../../../board/values/matrices.js";
import { percent } from "../../../board/values/reads_most.js";
import { say } from "../../../scripts/sentences.js";

/** @import { Matrices } from "../../../board/types.js" */

/** @typedef {{ labels: string[], entries: string[], right: (string | null)[], heads: unknown[] }} Model */
/** @typedef {{ name: string, share: number, all?: number }} Entry `all` is its share with all heads, where some are off */

const [MOST, FEW] = [6, 4]; // the fewer under the pictures of several heads

export class Next {
  constructor() {
    this.heading = make("div", "heading");
    this.bars = make("div", "bars");
    this.brief = make("div", "brief");
  }

  /**
   * @param {Model} model @param {Matrices} made @param {Matrices | null} whole the same with all heads, where some are off
   * @param {number} query
   */
  show(model, made, whole, query) {
    const several = model.heads.length > 1;
    const row = Math.min(query, made.probabilities.rows - 1);
    const [token, right] = [model.labels[row], model.right[row]];
    const before = whole ? lineOf(whole.probabilities, row) : null;
    const line = [...lineOf(made.probabilities, row)].map((share, entry) => ({ share, all: before?.[entry], name: model.entries[entry] }));
    this.heading.textContent = say("learn.time.next", { token });
    const first = line.reduce((a, b) => (b.share > a.share ? b : a));
    this.brief.textContent = say("learn.time.brief", { token, entry: first.name, share: written(first.share) });
    toggle(this.bars, "both", whole !== null);
    const shown = shownOf(line, right, several ? FEW : MOST);
    const titles = whole ? 1 : 0;
    while (this.bars.children.length > shown.length + titles) this.bars.lastChild?.remove();
    if (titles) this.fill(0, "", say("learn.time.without"), say("learn.time.with_all"), 0, false);
    shown.forEach(({ name, share, all }, at) => {
      this.fill(at + titles, name, written(share), all === undefined ? "" : written(all), Number.isFinite(share) ? share : 0, name === right);
    });
  }

  /** @param {number} at @param {string} name @param {string} share @param {string} all @param {number} full @param {boolean} isRight */
  fill(at, name, share, all, full, isRight) {
    const bar = /** @type {HTMLElement} */ (this.bars.children[at] ?? this.bars.appendChild(make("div", "bar", [make("span", "name"), make("span", "full", [make("i")]), make("span", "share"), make("span", "all"), make("span", "mark")])));
    const [named, filled, own, whole, mark] = bar.children;
    named.textContent = name;
    own.textContent = share;
    whole.textContent = all;
    const filling = /** @type {HTMLElement} */ (filled.firstChild);
    filling.style.width = `${100 * full}%`;
    mark.textContent = isRight ? "✓" : "";
    mark.setAttribute("title", isRight ? say("learn.time.right") : "");
    toggle(bar, "is-right", isRight);
    toggle(bar, "titles", name === "");
  }
}

// The most probable ones, with or without heads that are off, and what the law says among them.
/** @param {Entry[]} line @param {string | null} right @param {number} count */
function shownOf(line, right, count) {
  const most = (/** @type {Entry} */ { share, all }) => Math.max(share, all ?? 0);
  const best = line.toSorted((a, b) => most(b) - most(a)).slice(0, count);
  const missing = right === null || best.some(({ name }) => name === right) ? [] : line.filter(({ name }) => name === right);
  return [...best.slice(0, count - missing.length), ...missing];
}

/** @param {number} share */
function written(share) {
  return Number.isFinite(share) ? percent(share) : "NaN";
}
