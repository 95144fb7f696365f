// The colours of cells: the larger a number, the more of its role's colour is mixed into the page's, in OKLab.
// colours/shading.py does the same in Python.
// Source: Björn Ottosson 2020, A perceptual color space for image processing.

export const STEPS = 256; // per ramp, so that nobody sees a difference between neighbours
const OPAQUE = 0xff000000;

// Shades from one colour to another, both given as #rrggbb. Each is mixed on first use, so that the first picture waits
// only for the colours that it shows.
export class Ramp {
  /** @param {string} paper @param {string} role */
  constructor(paper, role) {
    this.from = labOf(channelsOf(paper));
    this.to = labOf(channelsOf(role));
    /** @type {Shade[]} */
    this.shades = [];
    /** @type {Uint32Array | null} */
    this.mixed = null;
  }

  // All colours of the ramp in the format of a canvas; see `mix`.
  get inks() {
    if (this.mixed) return this.mixed;
    this.mixed = new Uint32Array(STEPS);
    for (let step = 0; step < STEPS; step += 1) this.mixed[step] = this.mix(step);
    return this.mixed;
  }

  // A step's colour, with black or white as the readable ink.
  /** @param {number} step @returns {Shade} */
  shade(step) {
    return (this.shades[step] ??= shadeIn(this.mix(step)));
  }

  // A step's colour in the format of a canvas: opaque, with red in the lowest byte.
  mix(/** @type {number} */ step) {
    const part = step / (STEPS - 1);
    const { from, to } = this;
    const lightness = from[0] + part * (to[0] - from[0]);
    const greenRed = from[1] + part * (to[1] - from[1]);
    const blueYellow = from[2] + part * (to[2] - from[2]);
    const long = (lightness + 0.3963377774 * greenRed + 0.2158037573 * blueYellow) ** 3;
    const middle = (lightness - 0.1055613458 * greenRed - 0.0638541728 * blueYellow) ** 3;
    const short = (lightness - 0.0894841775 * greenRed - 1.291485548 * blueYellow) ** 3;
    const red = encoded(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short);
    const green = encoded(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short);
    const blue = encoded(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short);
    return (OPAQUE | (blue << 16) | (green << 8) | red) >>> 0;
  }
}

/** @param {number} ink @returns {Shade} */
function shadeIn(ink) {
  const colour = [ink & 0xff, (ink >> 8) & 0xff, (ink >> 16) & 0xff];
  return { paper: `rgb(${colour.join(", ")})`, ink: inkOn(colour) };
}

/** @param {Roles} roles @param {keyof Tone} theme @returns {Ramps} */
export function rampsOf(roles, theme) {
  const ramp = (/** @type {Role | "negative"} */ role) => new Ramp(roles.paper[theme], roles[role][theme]);
  return { x: ramp("x"), q: ramp("q"), k: ramp("k"), a: ramp("a"), v: ramp("v"), negative: ramp("negative") };
}

// The shade of a value: the page's colour at 0, its role's colour from `limit` on, and for negative values the negative
// colour from −`limit` on. Values that aren't finite have none: their cells are hatched, since they are neither small
// nor large.
/** @param {number} value @param {number} limit @param {Ramps} ramps @param {Role} role @returns {Shade | null} */
export function shadeOf(value, limit, ramps, role) {
  return Number.isFinite(value) ? ramps[value < 0 ? "negative" : role].shade(stepOf(value, limit)) : null;
}

// The step of a ramp for a value.
/** @param {number} value @param {number} limit */
export function stepOf(value, limit) {
  const amount = limit > 0 ? Math.min(1, Math.abs(value) / limit) : 0;
  return Math.round(amount * (STEPS - 1));
}

function channelsOf(/** @type {string} */ colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function linear(/** @type {number} */ channel) {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function encoded(/** @type {number} */ light) {
  const inside = Math.min(1, Math.max(0, light));
  return Math.round(255 * (inside <= 0.0031308 ? 12.92 * inside : 1.055 * inside ** (1 / 2.4) - 0.055));
}

function labOf(/** @type {number[]} */ colour) {
  const [red, green, blue] = colour.map(linear);
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ];
}

// Black or white, whichever has more contrast: at least 4.58 to 1 on any colour (WCAG 2.2).
export function inkOn(/** @type {number[]} */ colour) {
  const [red, green, blue] = colour.map(linear);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  // Contrast with black is (luminance + 0.05) / 0.05, with white 1.05 / (luminance + 0.05).
  return (luminance + 0.05) ** 2 > 0.05 * 1.05 ? "#000" : "#fff";
}
