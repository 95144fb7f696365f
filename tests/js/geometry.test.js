// What stands where on a board, in windows of many sizes: laws over its boxes, and their text, which is kept in kept/.
// A text that has become another one is written beside the kept one, as NAME.now.txt: `make gallery` shows both.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import { asText, laidOut, PROJECTORS, setUps, WINDOWS } from "./geometry.js";

const ALL = setUps();
const KEPT = new URL("kept/", import.meta.url);
const LETTER = 6; // pixels: the width of a letter in a title
const ROUNDING = 0.01;

/** @typedef {ReturnType<typeof laidOut>} Laid */

const BOARDS = Object.entries(ALL).flatMap(([name, sent]) => [
  ...WINDOWS.map((window) => ({ name, sent, window, presented: false })),
  ...PROJECTORS.map((window) => ({ name, sent, window, presented: true })),
]).map((each) => ({ ...each, at: `${each.name}, ${each.window.join(" × ")}${each.presented ? ", presented" : ""}`,
  laid: laidOut(each.sent, each.window, each.presented) }));

/** Whether two places share more than an edge. @param {Rect} one @param {Rect} other */
function meet(one, other) {
  const within = 0.5;
  return one.x + within < other.x + other.width && other.x + within < one.x + one.width
    && one.y + within < other.y + other.height && other.y + within < one.y + one.height;
}

/** Find in each board what breaks a law; none may. @param {(laid: Laid, each: typeof BOARDS[0]) => unknown[]} wrong */
function none(wrong) {
  const found = BOARDS.flatMap((each) => wrong(each.laid, each).map((what) => `${each.at}: ${what}`));
  assert.deepEqual(found, []);
}

test("no matrix lies on another one", () => none(({ layout: { boxes } }) => {
  const all = Object.entries(boxes);
  return all.flatMap(([name, box], at) => all.slice(at + 1).filter(([, other]) => meet(box, other))
    .map(([other]) => `${name} on ${other}`));
}));

test("no matrix is cut by the board's edges", () => none(({ layout: { boxes, width, height } }) =>
  Object.entries(boxes).filter(([, box]) => box.x < -ROUNDING || box.y < -ROUNDING
    || box.x + box.width > width + ROUNDING || box.y + box.height > height + ROUNDING).map(([name]) => name)));

test("the matrices of a row stand in the order of the computation, from one height on", () => none(({ layout }) => {
  const row = layout.columns.map(({ stage }) => ({ name: stage.name, ...layout.boxes[stage.name] }));
  return row.filter(({ x, y }, at) => Math.abs(y - layout.start) > ROUNDING
    || (at > 0 && x < row[at - 1].x + row[at - 1].width)).map(({ name }) => name);
}));

test("what a matrix is multiplied by stands over it, and what that is made by over that or at its left", () =>
  none(({ layout: { boxes, columns, start } }) => columns.flatMap(({ factor, weight, turned }) => {
    if (!factor || !boxes[factor.name]) return [];
    const box = boxes[factor.name];
    const made = weight && boxes[weight.name];
    const beside = !made || (turned ? made.y + made.height <= box.y : made.x + made.width <= box.x);
    return box.y + box.height <= start && beside ? [] : [factor.name];
  })));

test("a matrix is as large as its cells, and is said to have numbers where these have room", () => {
  none(({ layout: { boxes, scale } }, { sent }) => Object.entries(boxes).filter(([name, box]) => {
    const { rows, columns } = sent.shapes[name];
    const [down, across] = box.turned ? [columns, rows] : [rows, columns];
    return Math.abs(box.width - across * box.cell) > ROUNDING || Math.abs(box.height - down * box.row) > ROUNDING
      || (box.readable && (box.cell < 24 * scale - ROUNDING || box.row < 18 * scale - ROUNDING));
  }).map(([name]) => name));
});

test("the scale of the weights' colours lies on no matrix, and is whole", () => none(({ layout, legend }) => {
  if (!legend) return [];
  const under = Object.entries(layout.boxes).filter(([, box]) => meet(box, legend)).map(([name]) => name);
  return [...under, ...(legend.x + legend.width > layout.width + ROUNDING ? ["its end"] : [])];
}));

test("no title lies on a matrix, on another title or on the scale of colours", () => {
  none(({ layout: { boxes, folded, scale }, titles, legend }, { sent }) => {
    const texts = sent.stages.filter((/** @type {Stage} */ { name }) => titles[name] && !folded.includes(name))
      .map((/** @type {Stage} */ { name, symbol, short }) => ({ name, ...titles[name],
        width: Math.min(titles[name].width, (symbol.length + 2 + short.length) * LETTER * scale) }));
    return texts.flatMap((/** @type {Rect & { name: string }} */ text, /** @type {number} */ at) => [
      ...Object.entries(boxes).filter(([name, box]) => name !== text.name && meet(box, text))
        .map(([name]) => `${text.name}'s on ${name}`),
      ...texts.slice(at + 1).filter((/** @type {Rect} */ other) => meet(text, other))
        .map((/** @type {{ name: string }} */ { name }) => `${text.name}'s on ${name}'s`),
      ...(legend && meet(text, legend) ? [`${text.name}'s on the scale`] : [])]);
  });
});

test("a board is wider than its room only where all is folded that may be", () => none(({ layout, room }) =>
  (layout.width <= room.width || layout.folded.length === layout.foldable.length ? [] : [layout.width])));

test("a sentence of eight words has its board in each window of a laptop, with all numbers", () =>
  none(({ layout, room }, { name, sent, window }) => {
    const usual = /^(words|language|mask)/.test(name) && sent.labels.length <= 8;
    if (!usual || window[0] < 1024 || window[1] < 700) return [];
    const cells = Object.entries(layout.boxes).filter(([, { readable }]) => !readable).map(([at]) => at);
    return [...cells, ...layout.folded, ...(layout.width > room.width ? ["its width"] : [])];
  }));

test("a lecture room sees all of a sentence of up to sixteen words, without a scroll", () =>
  none(({ layout, room }, { name, sent, presented }) => {
    if (!presented || !/^(words|language|mask)/.test(name) || sent.labels.length > 16) return [];
    const { boxes, width, height, arcs, chips, shares } = layout;
    const cells = Object.entries(boxes).filter(([, { readable }]) => !readable).map(([at]) => at);
    const low = arcs + chips + shares + height > room.height + 60;
    return [...cells, ...(width > room.width ? ["its width"] : []), ...(low ? ["its height"] : [])];
  }));

for (const kind of new Set(Object.keys(ALL).map((name) => name.split(" ")[0]))) {
  test(`boards of ${kind} stand as they were kept`, () => {
    const own = BOARDS.filter(({ name }) => name.split(" ")[0] === kind);
    const now = own.map(({ at, laid }) => [`# ${at}`, ...asText(laid), ""].join("\n")).join("\n");
    const [kept, changed] = [new URL(`${kind}.txt`, KEPT), new URL(`${kind}.now.txt`, KEPT)];
    const before = existsSync(kept) ? readFileSync(kept, "utf8") : "";
    if (before === now) return rmSync(changed, { force: true });
    writeFileSync(changed, now);
    const others = own.filter(({ at, laid }) => !before.includes([`# ${at}`, ...asText(laid), ""].join("\n")));
    assert.fail(`${others.map(({ at }) => at).slice(0, 8).join("; ")} (${others.length} in all) stand otherwise: see `
      + `them by make gallery. Where they are meant to: mv tests/js/kept/${kind}.now.txt tests/js/kept/${kind}.txt`);
  });
}
