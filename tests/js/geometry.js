// Boards that are laid out in Node, as text: where each matrix and each title stands, for a set-up in a window.

import { readFileSync } from "node:fs";

import { Assembly } from "../../attnviz/board/assembly.js";
import { inHall } from "../../attnviz/board/spine/hall.js";
import { layoutOf, saysOf } from "../../attnviz/board/spine/layout.js";
import { leadAt, legendAt, titlesOf } from "../../attnviz/board/spine/plan.js";

export const WINDOWS = [[1920, 1080], [1366, 768], [1366, 650], [1280, 720], [1024, 768], [800, 700]];
export const PROJECTORS = [[1920, 1080], [1366, 768], [1280, 720]];
// What the app leaves around a board on a page: pixels at both sides together, and above.
const [ASIDE, TOP] = [96, 76];
const MAP = 30; // pixels that the small map takes below a board that is wider than its room

/** All boards by their names. @returns {Record<string, any>} */
export function setUps() {
  return JSON.parse(readFileSync(process.env.ATTNVIZ_SET_UPS ?? "", "utf8"));
}

/** A board as its assembly sees it. @param {any} sent @param {number[]} window @param {boolean} presented */
function boardIn(sent, [width, height], presented) {
  const data = { ...sent, ribbons: sent.ribbons[presented ? 1 : 0] };
  const inside = width - (presented ? 0 : ASIDE);
  return /** @type {any} */ ({
    data, all: false, scaled: false, explores: true, folds: new Map(), torch: sent.shapes, story: { told: false },
    strip: { height: 0 }, telling: { texts: [], above: false }, layout: { scale: 1 },
    root: { offsetWidth: inside, getBoundingClientRect: () => ({ width: inside }) },
    host: { room: () => ({ top: presented ? 0 : TOP, height }), view: () => ({ top: 0, bottom: height, width }) },
  });
}

/**
 * Lay out a board in a window.
 * @param {any} sent @param {number[]} window @param {boolean} presented
 * @returns {{ layout: Layout, room: Room, seen: string[], titles: Record<string, Rect>, legend: Rect | null, lead:
 *  Rect | null }}
 */
export function laidOut(sent, window, presented) {
  const assembly = new Assembly(boardIn(sent, window, presented));
  const { room, placed } = assembly;
  const said = room.saysBelow ? saysOf(room.width, true) : 0;
  const { seen, room: own } = presented ? inHall(sent.stages, sent.shapes, placed, room, said, 0)
    : { seen: placed, room };
  let layout = layoutOf(sent.stages, sent.shapes, seen, own);
  if (layout.width > own.width) layout = layoutOf(sent.stages, sent.shapes, seen, { ...own, height: own.height - MAP });
  const hasNames = (/** @type {Stage} */ stage) => stage.origin === "input" && stage.columns === "feature"
    && sent.features?.length === sent.shapes[stage.name].columns;
  const edge = Math.max(layout.width, own.width);
  const titles = titlesOf(layout, sent.stages, hasNames, edge, presented ? null : false);
  const shares = layout.columns.find(({ stage }) => stage.is.shares)?.stage.name;
  const weights = shares === undefined ? null : layout.boxes[shares];
  return { layout, room: own, seen, titles, legend: weights && !own.lean ? legendAt(layout, weights) : null,
    lead: weights && !presented ? leadAt(layout, weights, false) : null };
}

const rounded = (/** @type {number} */ length) => String(Math.round(length * 10) / 10);
const placeOf = (/** @type {Rect} */ { x, y, width, height }) => [x, y, width, height].map(rounded).join(" ");

/** A board's places, a line each. @param {ReturnType<typeof laidOut>} board */
export function asText({ layout, titles, legend, lead }) {
  const { scale, width, height, arcs, chips, shares, boxes, folded } = layout;
  return [
    `board 0 0 ${rounded(width)} ${rounded(height)} scale ${Math.round(scale * 1000) / 1000}`,
    `sentence arcs ${rounded(arcs)} chips ${rounded(chips)} shares ${rounded(shares)}`,
    ...Object.entries(boxes).map(([name, box]) => [`${name} ${placeOf(box)} cells ${rounded(box.cell)}`,
      `${rounded(box.row)}${box.turned ? " turned" : ""}${box.readable ? " numbers" : ""}`
        + (folded.includes(name) ? " folded" : "")].join(" ")),
    ...Object.entries(titles).map(([name, title]) => `title-of-${name} ${placeOf(title)}`),
    ...(legend ? [`legend ${placeOf(legend)}`] : []), ...(lead ? [`all-stages ${placeOf(lead)}`] : []),
  ];
}
