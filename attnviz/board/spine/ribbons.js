// The ribbons between the words of a sentence, or from one sentence to another: what the picked word reads, as shares
// of one width.

export const WHOLE = 56; // the widths of all ribbons together
const FAN = 36; // how far apart they leave the picked word
export const EDGE = 20; // beside the words, up to the edge of the page
export const LOOP = WHOLE + 5; // how far a word's own reaches from its middle

/**
 * The ribbons of a word, in the order of the words: `shares` are those of the words, null for one that may not be read,
 * or what each gives this word;
 * `middles` are where the words stand, `floor` is where their upper edges are. `start` is where the picked word stands,
 * where it's none of these, and `picked` is -1 then. They stay below the `roof`.
 * @param {(number | null)[]} shares @param {number} picked @param {number[]} middles @param {number} floor @param
 * {number} scale
 * @returns {Ribbon[]}
 */
export function ribbonsOf(shares, picked, middles, floor, scale, start = middles[picked], roof = 0) {
  const highest = floor - roof - 4 * scale;
  const fan = FAN * scale;
  // What a word reads is one whole; what it is given by others is not.
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

export const GROUPS = 48; // of ribbons about as wide, where there are many words
const PER_OCTAVE = 4;

/**
 * Many ribbons as few lines: those that are about as wide are one, whose width is theirs on average.
 * @param {Ribbon[]} ribbons @param {number} scale @returns {Ribbon[]} with the number of its group as its word
 */
export function merged(ribbons, scale) {
  /** @type {Ribbon[][]} */
  const groups = [];
  for (const ribbon of ribbons) {
    const down = Math.round(PER_OCTAVE * Math.log2((WHOLE * scale) / ribbon.width)); // from the widest on
    (groups[Math.max(0, Math.min(GROUPS - 1, down))] ??= []).push(ribbon);
  }
  return groups.flatMap((group, word) => ({ word, width: group.reduce((sum, { width }) =>
    sum + width, 0) / group.length, path: group.map(({ path }) => path).join(" ") }));
}

// From a word to itself: an arch, open however wide it is, that stays within the page's edge.
/** @param {number} middle @param {number} floor @param {number} highest @param {number} scale @param {number} width */
function loop(middle, floor, highest, scale, width) {
  const inner = Math.max(9 * scale, width / 2 + 5 * scale);
  const outer = Math.max(inner, 26 * scale);
  const height =
    Math.min(Math.max(42 * scale, (width / 2 + 12 * scale) / 0.75), (highest + 4 * scale - width / 2) / 0.75);
  const x = Math.max(middle, inner + width / 2 - EDGE * scale);
  return arch(x - inner, x + inner, floor, height, outer - inner);
}

// Its middle rises to three quarters of the height, and half of its width is over that: the upper edge is seen, too.
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

// A path, its lengths in tenths of a pixel.
/** @param {TemplateStringsArray} texts @param {(string | number)[]} parts */
export function inPath(texts, ...parts) {
  const rounded = parts.map((part) => (typeof part === "number" ? Math.round(part * 10) / 10 : part));
  return String.raw({ raw: texts }, ...rounded);
}
