// The ribbons between the tokens of a sentence, or from one sentence to another: the picked token's attention weights,
// as shares of one width.

export const WHOLE = 56; // the widths of all ribbons together
const FAN = 36; // the width from which they start at the picked token
export const EDGE = 20; // room beside the sentence, up to the page's edge
export const LOOP = WHOLE + 5; // how far a token's ribbon to itself reaches from its middle

/**
 * The ribbons of a token, in the order of the tokens. `shares` has its attention weight for each token, null if masked,
 * or the weight that each token gives to it. `middles` are the tokens' places, `floor` is their upper edge; the ribbons
 * stay below `roof`. In cross-attention `picked` is -1, and `start` is the picked token's place in the other sentence.
 * @param {(number | null)[]} shares @param {number} picked @param {number[]} middles @param {number} floor @param
 * {number} scale
 * @returns {Ribbon[]}
 */
export function ribbonsOf(shares, picked, middles, floor, scale, start = middles[picked], roof = 0) {
  const highest = floor - roof - 4 * scale;
  const fan = FAN * scale;
  // The weights that a query gives add up to 1; those that a key is given may add up to more.
  const whole = Math.max(1, shares.reduce((/** @type {number} */ sum, share) =>
    sum + (share !== null && Number.isFinite(share) ? share : 0), 0));
  let left = -fan / 2;
  /** @type {Ribbon[]} */
  const ribbons = [];
  shares.forEach((share, word) => {
    if (share === null || !Number.isFinite(share)) return;
    const width = share * WHOLE * scale;
    const room = (share / whole) * fan;
    const from = start + left + room / 2;
    left += room;
    ribbons.push({ word, width, path: word === picked ? loop(middles[word], floor, highest, scale, width)
      : arc(from, middles[word], floor, highest, scale, width) });
  });
  return ribbons;
}

export const GROUPS = 48; // with many tokens, ribbons of similar width share a path: at most this many paths
const PER_OCTAVE = 4;

/**
 * Merge many ribbons into few paths: ribbons of similar width share a path, with their average width.
 * @param {Ribbon[]} ribbons @param {number} scale @returns {Ribbon[]} with the number of its group as its word
 */
export function merged(ribbons, scale) {
  /** @type {Ribbon[][]} */
  const groups = [];
  for (const ribbon of ribbons) {
    const down = Math.round(PER_OCTAVE * Math.log2((WHOLE * scale) / ribbon.width)); // 0 for the widest ribbon
    (groups[Math.max(0, Math.min(GROUPS - 1, down))] ??= []).push(ribbon);
  }
  return groups.flatMap((group, word) => ({ word, width: group.reduce((sum, { width }) =>
    sum + width, 0) / group.length, path: group.map(({ path }) => path).join(" ") }));
}

// A ribbon from a token to itself: an arch that stays open even if it is wide, and within the page's edge.
/** @param {number} middle @param {number} floor @param {number} highest @param {number} scale @param {number} width */
function loop(middle, floor, highest, scale, width) {
  const inner = Math.max(9 * scale, width / 2 + 5 * scale);
  const outer = Math.max(inner, 26 * scale);
  const height =
    Math.min(Math.max(42 * scale, (width / 2 + 12 * scale) / 0.75), (highest + 4 * scale - width / 2) / 0.75);
  const x = Math.max(middle, inner + width / 2 - EDGE * scale);
  return arch(x - inner, x + inner, floor, height, outer - inner);
}

// A ribbon to another token. The curve rises to three quarters of its control points' height, and half of the ribbon's
// width lies above that; the height is limited so that the upper edge stays in sight.
/** @param {number} from @param {number} to @param {number} floor @param {number} highest @param {number} scale
 *  @param {number} width */
function arc(from, to, floor, highest, scale, width) {
  const height = Math.min(1.25 * Math.min(highest * 0.95, 26 * scale + Math.abs(to - from) * 0.2),
    (highest + 4 * scale - width / 2) / 0.75);
  return arch(from, to, floor, height);
}

/** @param {number} from @param {number} to @param {number} floor @param {number} height */
function arch(from, to, floor, height, aside = 0) {
  const top = floor - height;
  return inPath`M${from} ${floor} C ${from - aside} ${top}, ${to + aside} ${top}, ${to} ${floor}`;
}

// The text of an SVG path, with lengths rounded to tenths of a pixel.
/** @param {TemplateStringsArray} texts @param {(string | number)[]} parts */
export function inPath(texts, ...parts) {
  const rounded = parts.map((part) => (typeof part === "number" ? Math.round(part * 10) / 10 : part));
  return String.raw({ raw: texts }, ...rounded);
}
