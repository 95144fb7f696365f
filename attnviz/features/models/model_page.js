// All heads of a model on a page of their own. Python writes into the page what is drawn, and below this script all
// numbers of it, a megabyte: the pictures are there before these have been read. They are taken when a head is pointed
// at.

import { Heads } from "../../scripts/head_grid.js";
import { partOf } from "../../scripts/parts.js";

/** @import { HeadGrid } from "../../scripts/head_grid.js" */

/** @typedef {Pick<HeadGrid, "weights" | "strongest">} Numbers */

/** @type {Numbers | null} */
let read = null;
/** @type {() => Numbers} */
const numbers = () => {
  if (document.readyState === "loading") return { weights: null, strongest: null }; // it may be half of them
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
