// The sentence over all heads of a model, on which what a head reads is drawn in ribbons.

import { ribbonsOf } from "../board/spine/ribbons.js";

/** @import { HeadGrid } from "./head_grid.js" */

const HIGH = 74; // pixels over the sentence, for ribbons
const SVG = "http://www.w3.org/2000/svg";

/** @param {string} kind @param {string} name */
export function element(kind, name) {
  return Object.assign(document.createElement(kind), { className: name });
}

// The tokens in a line, each with what was typed of it, those that they read after them where these are others, and
// ribbons over them.
/** @param {HeadGrid} data */
export function sentenceOf({ tokens, typed, marks, read, same }) {
  const place = element("div", "sentence");
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("aria-hidden", "true");
  const line = element("div", "tokens");
  const chips = tokens.map((token, at) => Object.assign(element("span", `token ${marks[at]}`.trim()), { textContent: token, title: typed[at] }));
  const others = same ? chips : read.map((token) => Object.assign(element("span", "token read"), { textContent: token }));
  line.append(...new Set([...chips, ...others]));
  place.append(svg, line);
  /** @type {[number[], number]} */
  let shown = [[], 0];
  const draw = (/** @type {number[]} */ shares, /** @type {number} */ picked) => {
    shown = [shares, picked];
    chips.forEach((chip, at) => chip.classList.toggle("on", shares.length > 0 && at === picked));
    if (shares.length) bringIntoSight(place, chips[picked], others[shares.indexOf(Math.max(...shares))]);
    const middles = shares.length ? others.map(middleOf) : [];
    const start = shares.length ? middleOf(chips[picked]) : 0;
    const paths = ribbonsOf(shares, same ? picked : -1, middles, HIGH, 0.5, start).filter(({ width }) => width > 0.2);
    svg.replaceChildren(
      ...paths.map(({ path, width }) => {
        const ribbon = document.createElementNS(SVG, "path");
        ribbon.setAttribute("d", path);
        ribbon.setAttribute("stroke-width", String(width));
        return ribbon;
      }),
    );
  };
  // In another window, as on a phone that is turned, the tokens are smaller or larger, and stand elsewhere.
  const tokensResized = new ResizeObserver(() => shown[0].length && draw(...shown));
  for (const each of [place, ...new Set([...chips, ...others])]) tokensResized.observe(each);
  return { place, draw };
}

/** @param {HTMLElement} chip */
function middleOf(chip) {
  return chip.offsetLeft + chip.offsetWidth / 2;
}

// Scroll to a token and to the one that it reads most; where both don't fit, to the one, and towards the other.
/** @param {HTMLElement} place @param {HTMLElement} own @param {HTMLElement | undefined} most */
function bringIntoSight(place, own, most = own) {
  const end = (/** @type {HTMLElement} */ chip) => chip.offsetLeft + chip.offsetWidth;
  const [wide, from] = [place.clientWidth, place.scrollLeft];
  const [left, right] = [Math.min(own.offsetLeft, most.offsetLeft), Math.max(end(own), end(most))];
  if (right - left <= wide) {
    if (left < from || right > from + wide) place.scrollLeft = (left + right - wide) / 2;
  } else if (own.offsetLeft < from || end(own) > from + wide) {
    place.scrollLeft = most.offsetLeft < own.offsetLeft ? end(own) - wide : own.offsetLeft;
  }
}
