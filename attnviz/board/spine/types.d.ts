// Where everything on the board stands.

/** The room that there is, and what is to stand in it. `named` is how many columns have names over them. */
interface Room {
  width: number;
  height: number;
  tokens: number;
  named: number;
  sentence: boolean;
  /** How long the words are beside each other. */
  words: number;
  /** Whether, for want of room, V stands in the spine and there is no scale of colours. */
  lean?: boolean;
  /** The room over the words that ribbons take. */
  ribbons: number;
  /** Whether matrices need the words' room, as in a lecture room. */
  hall: boolean;
  /** Whether V stands in the spine, before what it is a factor of, for want of height over it. */
  spined?: boolean;
  /** So many times as large is all of it, where there is less room than it needs: at most 1. */
  by?: number;
  /** How much the names of rows take. */
  labels?: number;
  /** How many pixels of the screen one of the board's is, as in a lecture room. */
  zoom?: number;
  /** So much of the words' line is covered at its right end. */
  kept?: number;
  /** Whether what the picked token reads stands under the chips, where there is no room beside them. */
  saysBelow: boolean;
  /** How high the ribbons may be at most, where that is given. */
  arcs?: number;
  /** So much of the width has what a step of the lesson tells, beside what is reached last. */
  tells: number;
  /** Of matrices that may be folded where not all have room: which a reader folded, true, or opened, false. */
  folds?: Record<string, boolean>;
}

type Shapes = Record<string, { rows: number; columns: number }>;

/** A matrix on the spine, and what stands over it. */
interface Column {
  stage: Stage;
  /** What it is made as: scores, for scaled scores in their place. */
  made: Stage;
  factor: Stage | null;
  turned: boolean;
  bias: Stage | null;
  weight: Stage | null;
  weightBias: Stage | null;
}

/** A matrix: its cells, and whether it stands on its side. */
interface Box extends Rect {
  cell: number;
  row: number;
  turned: boolean;
  /** Whether its cells have room for their numbers. */
  readable: boolean;
}

interface Layout {
  scale: number;
  width: number;
  height: number;
  labels: number;
  /** Where what stands above the spine ends. */
  above: number;
  /** Where the rows of the spine begin and end, and how high one is. */
  start: number;
  end: number;
  row: number;
  arcs: number;
  /** How much of that is above the ribbons, for the tools. */
  roof: number;
  chips: number;
  shares: number;
  /** Where the plane lies over the matrices. */
  aside: Rect;
  boxes: Record<string, Box>;
  columns: Column[];
  /** The matrices that are folded to a strip of colour, and all that may be. */
  folded: string[];
  foldable: string[];
}

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A ribbon to a word, as the path of an SVG. */
interface Ribbon {
  word: number;
  width: number;
  path: string;
}

/** What is done to a row while it is played: a vector made, scores, their scaling, their shares, the mix of values. */
type PhaseKind = "vector" | "scores" | "scale" | "shares" | "mix" | "other";

/** A phase of a row that is played, from `start` to `end` in milliseconds; `on` is the matrix in whose place it is
 *  seen. */
interface Phase {
  name: string;
  on: string;
  kind: PhaseKind;
  stage: Stage;
  /** The columns of its row that hold a number. */
  columns: number[];
  /** What happens one after the other. */
  steps: number[];
  /** Whether the one column is asked for alone, of a row that has more. */
  only?: boolean;
  start: number;
  end: number;
}

/** From when to when it goes, in milliseconds. */
interface Stretch {
  from: number;
  to: number;
}

/** What stands at a moment of it: in which phase and step, and how far. */
interface Moment {
  at: number;
  part: number;
  step: number;
  within: number;
  made: number;
  veil: number;
}

// ---- one word's story ----

/** A part of it: the picked word's row of a matrix, what it has for each word, its shares, or every word's row. */
interface Part {
  kind: "row" | "pairs" | "shares" | "all";
  stage: Stage;
  /** What is learned and makes it. */
  weight: Stage | null;
  bias: Stage | null;
  /** Of scaled scores, those before that. */
  raw: Stage | null;
  /** Whether it is mixed of every word's rows. */
  mixes: boolean;
}
