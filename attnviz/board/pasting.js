// A block of numbers from a spreadsheet, taken apart into cells.

import { LONGEST_TYPED, readNumber } from "./values/typed_numbers.js";

// The cells of a pasted block that fall within so many rows and columns, line by line, and how many fall outside.
// What is outside is counted and never taken apart: a block may have megabytes.
/** @param {string} text @param {number} rows @param {number} columns */
export function blockIn(text, rows, columns) {
  if (isOneNumber(text)) return { lines: [[text.trim()]], outside: 0 };
  const tabbed = /[\t;]/.test(text);
  const separator = tabbed ? /[\t;]/g : hasDecimalCommas(text) ? /\s+/g : /[\s,]+/g;
  /** @type {string[][]} */
  const lines = [];
  let outside = 0;
  for (const line of linesOf(text)) {
    const trimmed = tabbed ? line : line.trim();
    const cells = lines.length < rows ? trimmed.split(separator, columns) : [];
    if (cells.length) lines.push(cells);
    outside += 1 - cells.length;
    while (separator.test(trimmed)) outside += 1;
  }
  return { lines, outside };
}

// A number alone is read as if it were typed, also where it has blanks or could mean two.
/** @param {string} text */
function isOneNumber(text) {
  if (text.length > 2 * LONGEST_TYPED || /[\t;]/.test(text) || /\n/.test(text.trim())) return false;
  const { reason } = readNumber(text);
  return !reason || reason === "two_ways";
}

// Between blanks, as between tabs or semicolons, a comma is a decimal one; else it parts cells, as in CSV.
/** @param {string} text */
function hasDecimalCommas(text) {
  for (const line of linesOf(text)) {
    if (line.includes(",") && (/,\s|\s,/.test(line) || !/\S\s+\S/.test(line))) return false;
  }
  return true;
}

// The lines of a text one by one, without the breaks at its end.
/** @param {string} text */
function* linesOf(text) {
  let end = text.length;
  while ("\r\n".includes(text[end - 1] ?? " ")) end -= 1;
  for (let start = 0, stop; start <= end; start = stop + 1) {
    stop = text.indexOf("\n", start);
    if (stop < 0 || stop > end) stop = end;
    yield text.slice(start, stop < end && text[stop - 1] === "\r" ? stop - 1 : stop);
  }
}
