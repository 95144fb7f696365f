// All heads of a model on a page of their own. Python writes the data of the pictures above this script, and all
// numbers below it: these may be megabytes, so that the browser draws the pictures before it has read them. They are
// parsed when a head is first pointed at.

import { Heads } from "./head_grid.js";
import { partOf } from "../../scripts/parts.js";

/** @import { HeadGrid } from "./head_grid.js" */

/** @typedef {Pick<HeadGrid, "weights" | "strongest">} Numbers */

/** @type {Numbers | null} */
let read = null;
/** @type {() => Numbers} */
const numbers = () => {
  if (document.readyState === "loading") return { weights: null, strongest: null }; // a part may still be missing
  return (read ??= JSON.parse(partOf(document, "#numbers").textContent ?? ""));
};
/** @type {HeadGrid} */
const grid = {
  ...JSON.parse(partOf(document, "#given").textContent ?? ""),
  get weights() {
    return numbers().weights;
  },
  get strongest() {
    return numbers().strongest;
  },
};
const heads = new Heads(partOf(document, "#grid"), partOf(document, "#head"), grid, {
  layer: Math.max(0, grid.others.indexOf("")),
  head: 0,
});
document.addEventListener("DOMContentLoaded", () => heads.rest());
