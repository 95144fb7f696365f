// Numbers as they are displayed, and whether displayed arithmetic gives what it says: what numbers.py and
// explanation/displayed.py do, done in the page. A test holds the two together.
// A decimal is { digits: BigInt, power }, digits times ten to the power; null where a number is not finite.

// A number as the page writes it everywhere: fixed digits, or powers of ten where these would not do.
export function written(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const fixed = size < 1e4 ? toFixed(size, digits) : "";
  const fits = size === 0 || (size >= Number(`1e-${digits}`) && fixed && Number(fixed) < 1e4);
  const text = fits ? fixed : toExponential(size, Math.min(digits, 2));
  return value < 0 ? `−${text}` : text;
}

// As Python rounds: what lies halfway between two numbers becomes the even one, where JavaScript takes the larger.
function toFixed(size, digits) {
  const rounded = size.toFixed(digits);
  if ((size * 10 ** digits * 2) % 1 !== 0) return rounded;
  return evenOfTie(size.toFixed(100), rounded);
}

function toExponential(size, digits) {
  const [mantissa, power] = size.toExponential(digits).split("e");
  const [exact, exactPower] = size.toExponential(100).split("e");
  const rounded = power === exactPower ? evenOfTie(exact, mantissa) : mantissa;
  return `${rounded}e${power.replace(/\d+/, (number) => number.padStart(2, "0")).replace("-", "−")}`;
}

function evenOfTie(exact, rounded) {
  const cut = exact.slice(0, rounded.length);
  const isTie = /^5?0*$/.test(exact.slice(rounded.length)) && exact[rounded.length] === "5";
  return isTie && "02468".includes(cut.at(-1)) ? cut : rounded;
}

// Sum exactly, or nearly so (Neumaier 1974); infinities and NaN sum as floats do.
export function total(values) {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isFinite(lost) ? sum + lost : values.reduce((all, value) => all + value, 0);
}

// ---- decimals ----

export function decimal(displayed) {
  const text = displayed.replaceAll("−", "-");
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text);
  if (!match) return null;
  const [, minus, whole, part = "", power = "0"] = match;
  return { digits: BigInt(minus + whole + part), power: Number(power) - part.length };
}

// The decimal that a float is, to forty places.
export function decimalOf(value) {
  return Number.isFinite(value) ? decimal(value.toExponential(39)) : null;
}

export function productOf(decimals) {
  if (decimals.includes(null)) return null;
  return decimals.reduce((a, b) => ({ digits: a.digits * b.digits, power: a.power + b.power }), { digits: 1n, power: 0 });
}

export function sumOf(decimals) {
  if (decimals.includes(null)) return null;
  const power = Math.min(0, ...decimals.map((each) => each.power));
  return { digits: decimals.reduce((all, each) => all + at(each, power), 0n), power };
}

// To forty places and more.
export function ratioOf(above, below) {
  if (!above || !below || below.digits === 0n) return null;
  const places = 60 + String(below.digits).length;
  return { digits: (above.digits * 10n ** BigInt(places)) / below.digits, power: above.power - below.power - places };
}

export function rootOf(whole) {
  const square = BigInt(whole) * 10n ** 80n;
  let guess = BigInt(Math.ceil(Math.sqrt(whole))) * 10n ** 40n + 1n;
  for (let next = (guess + square / guess) / 2n; next < guess; next = (guess + square / guess) / 2n) guess = next;
  return { digits: guess, power: -40 };
}

function at({ digits, power }, lower) {
  return digits * 10n ** BigInt(power - lower);
}

// The sign between a number and how it is displayed: "=" where it gives its last digit, "≈" where digits that are
// not displayed show, "→" where it is no longer finite.
export function sign(left, displayed) {
  const right = decimal(displayed);
  if (!left || !right) return "→";
  const power = Math.min(left.power, right.power - 1);
  const gap = at(left, power) - at(right, power);
  return (gap < 0n ? -gap : gap) <= at({ digits: 5n, power: right.power - 1 }, power) ? "=" : "≈";
}

export function signOfAll(lefts, displayed) {
  const signs = lefts.map((left, i) => sign(left, displayed[i]));
  return signs.includes("→") ? "→" : signs.includes("≈") ? "≈" : "=";
}

// ---- sums and quotients ----

export function inSum(terms) {
  return terms[0] + terms.slice(1).map((term) => (term.startsWith("−") ? ` − ${term.slice(1)}` : ` + ${term}`)).join("");
}

export function quotient(numerator, divisors, joint = " · ") {
  if (divisors.length === 0) return numerator;
  return `${numerator} / ${divisors.length === 1 ? divisors[0] : `(${divisors.join(joint)})`}`;
}

const LONG = 8; // a sum of more terms shows the largest LONG - 1 and the remainder

// The terms, or of a long sum the largest and the remainder, in their order; the one at `keep` is always there.
export function shortened(terms, keep = null) {
  if (terms.length <= LONG) return terms;
  const size = ({ value }) => (Number.isNaN(value) ? Infinity : Math.abs(value));
  const places = terms.map((_, place) => place).sort((a, b) => Math.sign(size(terms[b]) - size(terms[a]) || 0) || a - b);
  const shown = new Set(places.slice(0, LONG - 1));
  if (keep !== null) shown.add(keep);
  const rest = terms.filter((_, place) => !shown.has(place));
  if (rest.length === 1) return terms; // it takes no more room than its remainder
  const remainder = { value: total(rest.map((term) => term.value)), factors: [], count: rest.length };
  return [...terms.filter((_, place) => shown.has(place)), remainder];
}
