// What gave a word its score: a bar for each part, to the right where it gave, to the left where it took. A press on a
// head brings it into view.

import { make } from "../../board/cells/elements.js";
import { partOf } from "../../scripts/parts.js";
import { say } from "../../scripts/sentences.js";

/** @import { Drawing } from "../../scripts/types.js" */

/**
 * `share` goes from -1 to 1; `head` is its place in the address.
 * @typedef {{ name: string, share: number, told: string, head: string | null }} Row
 */
/** @typedef {{ title: string, rows: Row[], parameter: string, from: string }} Data */

/** @param {Drawing<Data>} drawing */
export default function modelWhy({ parentElement, data }) {
  const root = partOf(parentElement, ".next");
  const rows = data.rows.map(({ name, share, told, head }) => {
    const bar = make("i", share < 0 ? "takes" : "gives");
    bar.style.width = `${50 * Math.abs(share)}%`;
    const parts = [make("span", "name", [name]), make("span", "full sides", [bar]), make("span", "number", [told])];
    if (head === null) return make("div", "row", parts);
    const button = make("button", "row", parts);
    button.type = "button";
    button.setAttribute("aria-label", say("write.why.open", { name, told }));
    button.onclick = () => window.attnvizAddress?.change({ [data.parameter]: head });
    return button;
  });
  root.style.setProperty("--numbers", "1");
  root.classList.add("reasons");
  root.replaceChildren(make("h3", "", [data.title]), ...rows);
}
