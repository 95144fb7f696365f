// What the board's keys do. A row's name leads to its keys in attnviz/scripts/shortcuts.js, and to its texts in the
// catalogue: "board.keys.NAME" names the key, "board.keys_do.NAME" says what it does. The handlers, the list of keys
// and `aria-keyshortcuts` read these rows.

import { ledTo } from "./cells/elements.js";
import { backAt, stepped } from "./values/typed_numbers.js";
import { isHeard, shortcutsOf } from "../scripts/shortcuts.js";

/**
 * A key that was pressed; `place` is null if the focus is on no cell.
 * @typedef {{ board: Board, event: KeyboardEvent, place: Place }} Pressed
 * The list leaves out a key that `changes` numbers if the board's are fixed, and one whose `when` returns false. `on`
 * says whether only cells hear the key that can be changed, or only the others. A key without `act` is handled
 * elsewhere. `matches` stands for a key that no shortcut names. `act` returns false to leave the key to the browser.
 * @typedef {{ name: string, changes?: true, on?: "given" | "computed", when?: (board: Board) => boolean,
 *   matches?: (pressed: Pressed) => boolean, act?: (pressed: Pressed) => boolean | void }} Key
 */

const COMPOSED = ["Process", "Unidentified", "Dead"]; // keys from which an input method makes a character later
/** @type {Record<string, [down: number, right: number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @type {Key[]} */
const OF_CELLS = [
  { name: "move", act: move },
  { name: "pin", act: ({ board, place }) => board.pointing.pin(board.pointing.isPinned(place) ? null : place) },
  { name: "unpin", act: ({ board }) => {
    board.input.kept = false;
    board.pointing.unpin();
  } },
  { name: "dock", act: ({ board }) => {
    board.input.kept = true;
    board.panel.takeFocus();
  } },
  { name: "digits", act: ({ board }) => board.display.showAs({ inFull: !board.inFull }) },
  { name: "readers_of", on: "computed", act: ({ board, place }) =>
    board.picking.turnReaders(board.stage(place).columns === "key" ? place.column : board.query) },
  { name: "step", changes: true, on: "given", act: step },
  { name: "reset", changes: true, on: "given", act: reset },
  { name: "undo", changes: true, matches: ({ event }) => isUndo(event), act: ({ board }) => board.undo.undo() },
  { name: "paste", changes: true, on: "given" }, // the browser sends a paste event, which Input.paste handles
  { name: "type", changes: true, on: "given", matches: ({ event }) =>
    isComposed(event) || (/^\S$/u.test(event.key) && event.key !== "?" && (!isModified(event) || writes(event))),
    act: type },
];

/** @type {Key[]} */
const OF_SENTENCE = [
  { name: "readers", act: ({ board }) => board.picking.turnReaders() },
  { name: "pick", matches: ({ event }) => ledTo(event, 0, 1) !== null, act: ({ board, event }) =>
    board.sentence.lead(event) },
];

/** @type {Key[]} */
const ANYWHERE = [
  { name: "list", act: ({ board }) => board.keys.open() },
  { name: "end" },
  { name: "heads", when: (board) => board.strip.isShown },
  { name: "play", when: (board) => !board.play.controls.matches(".gone") },
  { name: "tip", changes: true, when: (board) => board.plane.possible },
  { name: "present", when: (board) => board.host.bringPanel !== undefined }, // only the app has this method
];

export const KEYS = { cells: OF_CELLS, sentence: OF_SENTENCE, anywhere: ANYWHERE };

// Find the key's row and run its action; return whether the key is used up.
/** @param {Key[]} keys @param {Board} board @param {KeyboardEvent} event @param {Place | null} place */
export function press(keys, board, event, place = null) {
  const pressed = { board, event, place: /** @type {Place} */ (place) };
  const key = keys.find((each) => each.act && matches(each, pressed));
  return key !== undefined && key.act?.(pressed) !== false;
}

/** @param {Key} key @param {Pressed} pressed */
function matches(key, pressed) {
  const { board, event, place } = pressed;
  const heard = key.matches ? key.matches(pressed) : isHeard(key.name, event);
  return heard && (!key.on || board.isEditable(place) === (key.on === "given"));
}

// `aria-keyshortcuts` of a matrix, `given` if its numbers can be changed. A screen reader knows a grid's arrows itself.
/** @param {Pick<Board, "data">} board @param {boolean} given */
export function shortcutsOfCells({ data }, given) {
  return shortcutsOf(...OF_CELLS.filter(({ name, changes, on }) => name !== "move"
    && !(changes && data.fixed) && (!on || given === (on === "given"))).map(({ name }) => name));
}

export function isUndo(/** @type {KeyboardEvent} */ event) {
  return isHeard("undo", event) && !event.shiftKey;
}

function isCommand(/** @type {KeyboardEvent} */ { ctrlKey, metaKey }) {
  return ctrlKey || metaKey;
}

function isModified(/** @type {KeyboardEvent} */ event) {
  return isCommand(event) || event.altKey;
}

function isComposed(/** @type {KeyboardEvent} */ { isComposing, key }) {
  return isComposing || COMPOSED.includes(key);
}

// Whether a key writes a character although Alt or Ctrl is held: √ is Option+V on one keyboard, ² is AltGr+2 on
// another, while Alt or Ctrl with a letter is a command.
function writes(/** @type {KeyboardEvent} */ event) {
  return event.getModifierState("AltGraph") || (event.altKey && !event.ctrlKey && !event.metaKey && event.key > "~");
}

function move(/** @type {Pressed} */ { board, event, place }) {
  const { rows, columns } = board.shown[place.matrix];
  const [down, right] = ARROWS[event.key];
  const within = (/** @type {number} */ at, /** @type {number} */ length) => Math.min(length - 1, Math.max(0, at));
  // K is drawn on its side: the cell below another one is its next column.
  const [rowwards, columnwards] = board.grids.get(place.matrix)?.box.turned ? [right, down] : [down, right];
  board.focus({ ...place, row: within(place.row + rowwards, rows),
    column: within(place.column + columnwards, columns) });
}

function step(/** @type {Pressed} */ { board, event, place }) {
  const [down, right] = ARROWS[event.key];
  const value = stepped(board.givenAt(place), right - down, event.shiftKey);
  board.editing.commit([{ ...place, value: backAt(board.uneditedAt(place), value) }], event.repeat);
}

function reset(/** @type {Pressed} */ { board, place }) {
  if (!board.isEdited(place)) return false;
  board.editing.reset(place);
}

function type(/** @type {Pressed} */ { board, event, place }) {
  if (!isComposed(event)) return board.input.type(place, event.key);
  board.input.type(place, "", "");
  return false; // so that the box gets the character that the input method makes
}
