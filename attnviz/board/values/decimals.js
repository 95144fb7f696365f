// Whether displayed arithmetic is exact: what attnviz/core/rules/explaining/numbers.py does in Python. A decimal is {
// digits: BigInt, power }, which stands for digits times ten to the power. Null stands for a number that isn't finite.

/** @param {string} displayed @returns {Decimal | null} */
export function decimal(displayed) {
  const text = displayed.replaceAll("−", "-");
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text);
  if (!match) return null;
  const [, minus, whole, part = "", power = "0"] = match;
  return { digits: BigInt(minus + whole + part), power: Number(power) - part.length };
}

// The float nearest to a decimal.
export function numberIn(/** @type {Decimal} */ { digits, power }) {
  return Number(`${digits}e${power}`);
}

// A float as a decimal, to forty digits.
export function decimalOf(/** @type {number} */ value) {
  return Number.isFinite(value) ? decimal(value.toExponential(39)) : null;
}

export function productOf(/** @type {(Decimal | null)[]} */ decimals) {
  const known = decimals.filter((each) => each !== null);
  if (known.length < decimals.length) return null;
  return known.reduce((a, b) => ({ digits: a.digits * b.digits, power: a.power + b.power }), { digits: 1n, power: 0 });
}

export function sumOf(/** @type {(Decimal | null)[]} */ decimals) {
  const known = decimals.filter((each) => each !== null);
  if (known.length < decimals.length) return null;
  const power = Math.min(0, ...known.map((each) => each.power));
  return { digits: known.reduce((all, each) => all + at(each, power), 0n), power };
}

// A quotient, to sixty digits at least.
/** @param {Decimal | null} above @param {Decimal | null} below */
export function ratioOf(above, below) {
  if (!above || !below || below.digits === 0n) return null;
  const places = 60 + String(below.digits).length;
  return { digits: (above.digits * 10n ** BigInt(places)) / below.digits, power: above.power - below.power - places };
}

export function rootOf(/** @type {number} */ whole) {
  const square = BigInt(whole) * 10n ** 80n;
  let guess = BigInt(Math.ceil(Math.sqrt(whole))) * 10n ** 40n + 1n;
  for (let next = (guess + square / guess) / 2n; next < guess; next = (guess + square / guess) / 2n) guess = next;
  return { digits: guess, power: -40 };
}

/** @param {Decimal} decimal @param {number} lower */
function at({ digits, power }, lower) {
  return digits * 10n ** BigInt(power - lower);
}

// The sign between a number and its displayed text: "=" if rounding the number gives the text; "≈" if it doesn't,
// because displayed numbers were rounded before; "→" if either isn't finite.
/** @param {Decimal | null} left @param {string} displayed */
export function sign(left, displayed) {
  const right = decimal(displayed);
  if (!left || !right) return "→";
  const power = Math.min(left.power, right.power - 1);
  const gap = at(left, power) - at(right, power);
  return (gap < 0n ? -gap : gap) <= at({ digits: 5n, power: right.power - 1 }, power) ? "=" : "≈";
}

/** @param {(Decimal | null)[]} lefts @param {string[]} displayed */
export function signOfAll(lefts, displayed) {
  const signs = lefts.map((left, i) => sign(left, displayed[i]));
  return signs.includes("→") ? "→" : signs.includes("≈") ? "≈" : "=";
}
