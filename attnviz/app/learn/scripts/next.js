// What a model expects next, after the picked token: bars of the most probable ones.

import { make, toggle } from "../../../board/cells/elements.js";
import { lineOf } from "../../../board/values/matrices.js";
import { percent } from "../../../board/values/numbers.js";
import { bar } from "../../../scripts/head_view.js";
import { say } from "../../../scripts/sentences.js";

/** @typedef {{ labels: string[], entries: string[], right: (string | null)[] }} Model */
/** @typedef {{ name: string, share: number, all?: number }} Entry `all` is its share with all heads, where some are
 *  off */

const MOST = 6;

export class Next {
  constructor() {
    this.heading = make("h2", "heading");
    this.bars = make("div", "bars");
    this.element = make("div", "next", [this.heading, this.bars]);
  }

  /**
   * @param {Model} model @param {Matrices} made @param {Matrices | null} whole the same with all heads, where some are
   * off
   * @param {number} query
   */
  show({ labels, entries, right: rights }, made, whole, query) {
    const row = Math.min(query, made.probabilities.rows - 1);
    const right = rights[row];
    const before = whole ? lineOf(whole.probabilities, row) : null;
    const line = [...lineOf(made.probabilities, row)]
      .map((share, at) => ({ share, all: before?.[at], name: entries[at] }));
    this.heading.textContent = say("learn.time.next", { token: labels[row] });
    toggle(this.bars, "both", whole !== null);
    const titles = bar("", say("learn.time.without"), 0);
    titles.classList.add("titles");
    titles.append(make("span", "all", [say("learn.time.with_all")]));
    this.bars.replaceChildren(...(whole ? [titles] : []),
      ...shownOf(line, right).map((entry) => this.bar(entry, right)));
  }

  /** @param {Entry} entry @param {string | null} right */
  bar({ name, share, all }, right) {
    const element = bar(name === right ? say("learn.time.right_one", { name }) : name, written(share), share || 0);
    toggle(element, "is-right", name === right);
    if (name === right) element.title = say("learn.time.right");
    if (all !== undefined) element.append(make("span", "all", [written(all)]));
    return element;
  }
}

// What the law says first, and then the most probable ones, with or without heads that are off.
/** @param {Entry[]} line @param {string | null} right */
function shownOf(line, right) {
  const most = (/** @type {Entry} */ { share, all }) => Math.max(share, all ?? 0);
  const best = line.toSorted((a, b) => Number(b.name === right) - Number(a.name === right) || most(b) - most(a));
  return best.slice(0, MOST);
}

/** @param {number} share */
function written(share) {
  return Number.isFinite(share) ? percent(share) : "NaN";
}
