// Types of the board's layout, and of "Play this row".

/** The room for a board, and what it has to hold. `named` is the number of features that have names. */
interface Room {
  width: number;
  height: number;
  tokens: number;
  named: number;
  sentence: boolean;
  /** Length of the sentence in one line, at its usual size. */
  words: number;
  /** Whether, to save room, V stands in the spine and the colour scale is left out. */
  lean?: boolean;
  /** Height of the ribbons above the tokens. */
  ribbons: number;
  /** Whether the sentence is compact, to leave room for matrices: while presenting, or on a low screen. */
  hall: boolean;
  /** Whether V stands in the spine, before the product that it is a factor of, for lack of height above. */
  spined?: boolean;
  /** A factor of at most 1 by which everything is scaled down to fit. */
  by?: number;
  /** Width of the rows' names. */
  labels?: number;
  /** Pixels of the screen for each pixel of the board; more than 1 while presenting. */
  zoom?: number;
  /** Width that is covered at the right end of the sentence's line, by the button that ends a presentation. */
  kept?: number;
  /** Whether the summary of what the picked token reads stands below the chips, for lack of room beside them. */
  saysBelow: boolean;
  /** The greatest height of the ribbons, if it is limited. */
  arcs?: number;
  /** Width of the column with the text of a lesson's step. */
  tells: number;
  /** The reader's choices among the matrices that may be folded for lack of room: folded, true, or opened, false. */
  folds?: Record<string, boolean>;
}

type Shapes = Record<string, { rows: number; columns: number }>;

/** A matrix on the spine, and the matrices above it. */
interface Column {
  stage: Stage;
  /** The stage that decides what stands above it: the scores, for scaled scores in their place. */
  deciding: Stage;
  factor: Stage | null;
  turned: boolean;
  bias: Stage | null;
  weight: Stage | null;
  weightBias: Stage | null;
}

/** The place of a matrix, the size of its cells, and whether it is drawn transposed. */
interface Box extends Rect {
  cell: number;
  row: number;
  turned: boolean;
  /** Whether its cells are large enough for numbers. */
  readable: boolean;
}

interface Layout {
  scale: number;
  width: number;
  height: number;
  labels: number;
  /** The lower edge of the matrices above the spine. */
  above: number;
  /** Top and bottom of the spine's rows, and the height of one. */
  start: number;
  end: number;
  row: number;
  arcs: number;
  /** The part of `arcs` that is kept free above the ribbons, for the tools. */
  roof: number;
  chips: number;
  shares: number;
  /** The plane's place over the matrices. */
  aside: Rect;
  boxes: Record<string, Box>;
  columns: Column[];
  /** The matrices that are folded to a strip of colour, and all that may be folded. */
  folded: string[];
  foldable: string[];
}

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A ribbon to a token, as the path of an SVG. */
interface Ribbon {
  word: number;
  width: number;
  path: string;
}

/** What a phase of a play computes: a vector, scores, scaled scores, attention weights, or a mix of values. */
type PhaseKind = "vector" | "scores" | "scale" | "shares" | "mix" | "other";

/** A phase of a play, from `start` to `end` in milliseconds; `on` is the matrix in whose place it shows. */
interface Phase {
  name: string;
  on: string;
  kind: PhaseKind;
  stage: Stage;
  /** The columns of its row that aren't masked. */
  columns: number[];
  /** The phase's steps: indices of columns or of mixed rows, or otherwise numbers from 0. */
  steps: number[];
  /** Whether the lesson asks for only one column of the row. */
  only?: boolean;
  start: number;
  end: number;
}

/** Start and end of a play in milliseconds. */
interface Stretch {
  from: number;
  to: number;
}

/** The state of a play at a moment: its phase and step, and how much of them is over; see `momentAt`. */
interface Moment {
  at: number;
  part: number;
  step: number;
  within: number;
  shown: number;
  veil: number;
}

// ---- one token's story ----

/** A part of a story: the picked token's vector, its number for each key, its attention weights, or all rows. */
interface Part {
  kind: "row" | "pairs" | "shares" | "all";
  stage: Stage;
  /** The learned matrix that makes it. */
  weight: Stage | null;
  bias: Stage | null;
  /** For scaled scores, the scores. */
  raw: Stage | null;
  /** Whether it is a mix of all tokens' rows. */
  mixes: boolean;
}
