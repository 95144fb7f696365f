// The types of the board's modules, global in every script. attnviz/board/data.py and attnviz/app/components/board.py
// make what Python sends.

interface Place {
  matrix: string;
  row: number;
  column: number;
}

/** A block of adjacent cells: its first cell, and how many rows and columns it has. */
interface Span {
  row: number;
  column: number;
  rows: number;
  columns: number;
  /** Set if only two cells of a row are meant: how many columns they are apart. */
  step?: number;
}

/** A cell that another one is made from. */
interface Source extends Place {
  value: number;
}

/** Why a mask hides some cells, which are 1 in `cells`. `key` names the reason's sentence, `n` is the size of a
 *  window, in tokens. */
interface Why {
  key: string;
  n: number;
  /** Whether the reason depends on positions that queries and keys have in common. */
  placed: boolean;
  cells: Float64Array;
}

/** A matrix, with its values row by row. */
interface Matrix {
  rows: number;
  columns: number;
  values: Float64Array;
  /** Only of a mask: why it hides cells. */
  whys?: Why[];
}

type Matrices = Record<string, Matrix>;

/** The fields of all rules; each rule has some of them. */
interface Settings {
  transposed: boolean;
  cosine: boolean;
  typed: [row: number, column: number, number: number][];
  d_k: number | null;
  temperature: number;
  temperature_text: string;
  factor: boolean;
  /** Whether the divisor is a number of the model's own instead of √d_k. */
  own: boolean;
  shared: boolean;
  axis: string;
  sink: number | null;
  epsilon: number;
  targets: number[];
  ids: number[];
  head: number;
  place: number;
  parts: number;
  part: number;
}

/** What the page needs to know of a stage's rule; see _traits in data.py. A given matrix has none of these. */
interface Traits {
  product?: boolean;
  divides?: boolean;
  /** Whether its rows are pieces of other tokens' rows. */
  cuts?: boolean;
  /** Of a rule that makes shares: the axis that they are made over, null if shares that a mask takes afterwards go
   *  to nobody; whether rows sum to 1; whether exponentials are used. */
  shares?: { over: string | null, all: boolean, powers: boolean };
  /** Whether the weights that it makes may be negative. */
  signed?: boolean;
  /** The sources that are drawn as its factor and as its bias. */
  beside?: [factor: number | null, bias: number | null];
}

/** A matrix's role in attention, which decides its colour; see attnviz/colours/palette.py. */
type Role = "x" | "q" | "k" | "a" | "v";

/** A colour as #rrggbb, for light and for dark pages. */
interface Tone {
  light: string;
  dark: string;
}

type Roles = Record<Role | "negative" | "paper" | "picked", Tone>;

/** A step between the page's colour and that of a role, with an ink that is readable on it. */
interface Shade {
  paper: string;
  ink: "#000" | "#fff";
}

/** The shades from the page's colour on, for each role and for negative numbers. */
type Ramps = Record<Role | "negative", import("./cells/colours.js").Ramp>;

type Axis = "token" | "query" | "key" | "feature" | "entry" | "distance";

/** A row of the table of stages: a matrix, and how it's made. */
interface Stage {
  name: string;
  symbol: string;
  title: string;
  /** The title without the number of the head. */
  called: string;
  plain: string;
  axes: string;
  meaning: string;
  rows: Axis;
  columns: Axis;
  origin: string;
  /** "given" if it isn't computed. */
  rule: string;
  sources: string[];
  settings: Settings;
  is: Traits;
  /** How its rule declares its cells; empty if it's given. */
  declared: Piece[];
  /** Of scores whose queries and keys are made from sums of token and position vectors: the projection of each, and
   *  these sums. */
  factors?: [by: string, transposed: boolean, sums: [from: number, names: string[]][]][];
  shape: [rows: number, columns: number];
  /** The matrix whose −∞ hides cells. */
  masked_by: string | null;
  isVector: boolean;
  /** Its head's number; null if there is only one head, or if all heads share the matrix. */
  head: number | null;
  /** How many heads share it. */
  shared_by: number;
  /** The column at which this head's columns begin in the whole Q, K, V or context. */
  first: number;
  /** The names of what rows or columns stand for: entries of a vocabulary, or keys, if these aren't just the sentence's
   *  own tokens. */
  entries: string[];
  /** The key that is the sentence's first token, after those of a kept sentence; null if keys are of another
   *  sentence. */
  first_own_key: number | null;
  hidden_with: string;
  owners: [parts: number, part: number]; // to which tokens its rows really belong: see ownerOf in cells/cell.js
  layer: number;
  role: Role;
  /** A description of two or three words. */
  short: string;
}

/** The table, by names of stages. Names come from the table itself, so that `get` always finds one. */
interface Stages {
  get(name: string): Stage;
  values(): IterableIterator<Stage>;
}

/** A row of the table as Python sends it. */
type SentStage = Omit<Stage, "settings"> & { settings: Partial<Settings> };

/** The element of a cell, and what it shows. */
interface BoardCell extends HTMLElement {
  called: string;
  text: Text;
  value?: number;
  look?: string;
  change?: number;
  empty?: boolean;
  masked?: boolean;
  paper?: string;
  ink?: string;
  bar?: number;
  size?: string;
  label?: string;
  said?: string;
}

/** A matrix as it is sent: as numbers, as the bits of their float32 in base64, or as how to compute it from another
 *  one. */
interface SentMatrix {
  rows: number;
  columns: number;
  values?: (number | string)[];
  float32?: string;
  /** In a page of its own: how far its bits are from simple arithmetic; see values/bit_differences.js. */
  apart?: number[];
  of?: string;
  dividedBy?: number;
  /** The mask that is added to it, if there is one. */
  plus?: string;
  whys?: string;
  /** Run lengths: how often each number is repeated in a row. */
  runs?: [count: number, value: number | string][];
}

/** The data for evaluating a table and explaining its cells. */
interface TableData {
  stages: SentStage[];
  matrices: Record<string, SentMatrix>;
  tokens: string[];
}

/** A note on a word, and the readings of it that a reader may choose from. */
interface OfWord {
  note: string;
  choices: { title: string; word_classes: string }[];
}

interface BoardData extends TableData {
  shown: string[];
  limits: Record<string, [number, number]>;
  roles: Roles;
  labels: string[];
  names: string[];
  /** The labels of the tokens that are read, and their longer names below; `others` tells whether they are other tokens
   *  than those that read, or more. */
  keys: string[];
  readNames: string[];
  others: boolean;
  before: Record<string, number | string>;
  origins: Record<string, string[]>;
  /** Which of the numbers that decide who reads whom are random: "all", "some" or none. */
  chance: "all" | "some" | "";
  /** Whether vectors depend on kinds of words, and whether enough of the words are known. */
  byClass: "known" | "unknown" | "";
  /** How a typed sentence gets its vectors on a board without the app's page. */
  ownSentence?: import("../scripts/own_sentence.js").ByClass;
  /** What is said of each token's kind when it's picked, of a missing verb, and of changes; and what the reader can
   *  do then. */
  words?: {
    tokens: OfWord[]; verb: OfWord; changed: string;
    acts: { title: string; patch: Record<string, string | null>; page: string | null }[];
  } | null;
  query: number;
  /** The head in view; null if there is only one. */
  head: number | null;
  /** Whether the reader can paint the mask. */
  paints: boolean;
  /** How many layers there are, and which one is in view. */
  layers: number;
  layer: number;
  /** What each head does, in few words and with its definition. */
  heads: { short: string; full: string }[];
  digits: number;
  /** The number of decimals in cells. */
  cellDigits: number;
  /** What the columns of X stand for; null if for nothing. */
  features: string[] | null;
  /** Whether frames tell learned matrices from computed ones. */
  framed: boolean;
  /** The sentence as it was typed; `about`, below, is what is said of its numbers. */
  text: string;
  /** The examples that the reader can begin with. */
  examples: { name: string; title: string; shows: string; patch: Record<string, string | null>; whole: boolean }[];
  about: string;
  /** Whether the tokens stand above the matrices, to be picked; `tips` says where each token's vector comes from. */
  sentence: boolean;
  tips: string[];
  /** Whether a sentence says what is read most, and whether ribbons show it; null for ribbons to leave no room for
   *  them. */
  says: boolean;
  ribbons: boolean | null;
  /** Whether scaled scores stand in the place of scores from the start. */
  scaled: boolean;
  plane: boolean;
  /** Matrices that have their place, but aren't reached yet. */
  ghosts: string[];
  lit: Place | null;
  only: Place | null;
  fresh: string[];
  /** The sizes of matrices in symbols, rows and columns. */
  notes: Record<string, string[]>;
  /** What a step of the lesson tells. */
  tells?: Tells | null;
  /** The part of Play that the page asks for, by its matrix; `number` tells one request from the next. */
  play?: { part: string; number: number } | null;
  key: string;
  /** The mark of the page's query that this answers. */
  from?: string;
  isCurrent: boolean;
  /** Whether matrices that aren't attention itself may fold for lack of room, although this isn't the board of
   *  Explore. */
  folds?: boolean;
  /** The parameters of the query that hold what is picked. */
  picks?: { query?: string; cell?: string; head?: string } | null;
  /** The parameter that stores all edits and picks as one text, and that text before any of them. */
  store?: { parameter: string; text: string } | null;
  /** Where to ask for torch's numbers without a run of the page, and for which page. */
  numbers?: { at: string; page: string } | null;
  /** The matrices that the panel What if changes, if it stands on the page. */
  whatIf?: string[];
  /** Whether no number can be changed, as in a model that people use. */
  fixed?: boolean;
  /** Of a model in training: the step that its numbers are from. */
  moment?: number;
  /** Of a model that writes on: the rows from `from` on were computed now. `of` says, by matrix, whether those before
   *  were computed at a step "before" or are read from the "cache". */
  ages?: { from: number; of: Record<string, "before" | "cache"> };
  numbersOf: string;
  picked?: Place | null;
}

/** What a board stands in, and what that does for it; hosts/app.js is the app's. */
interface Host {
  /** The page's query, which the board changes, and its versions; null if nobody answers. */
  readonly page: Pick<import("../scripts/address.js").Address,
    "away" | "change" | "controls" | "go" | "mark" | "query" | "version" | "versionOf"> | null;
  /** Asks `at` for torch's numbers of a query. */
  numbers?(at: string, asked: object): Promise<Partial<BoardData> | null>;
  /** Whether the sentence and the layer can be changed, too. */
  can: { text: boolean; layers: boolean };
  /** Where the board's upper edge is before anything is scrolled, and how high the window is. */
  room(): { top: number; height: number };
  /** The part of the window in which the board can be seen; `scroll` moves it. */
  view(): { top: number; bottom: number; width: number };
  scroll(by: number): void;
  scheme(): "light" | "dark";
  /** Remembers whether anybody has done anything on a board before. */
  store: { isFirst(): boolean; remember(): void } | null;
  /** Whether edits outlive further data, since nobody answers them. */
  readonly keeps?: boolean;
  /** Takes edits, if nobody answers. */
  takes?(edits: Edit[]): void;
  /** The limit of the colours for the matrices that share this limit; by default the same. */
  widest?(limit: number): number;
  /** Says whose numbers are shown: those that were `sent`, or the page's own. By default, and if it returns null, the
   *  board says that torch answers. */
  whose?(sent: boolean): string | null;
  /** Hears what happens: as "query", the board's query, if there is no page; as "numbers", which ones are shown, null
   *  for the page's own; as "picked", which token is picked. */
  notify?(what: string, detail: unknown): void;
  /** Makes the plane, "Why these scores?", and fetches its script if necessary. */
  plane(board: Board): Promise<import("./plane/plane.js").Plane>;
  /** Scrolls the panel What if into view, with the lower end of the board above it. */
  bringPanel?(board: Board): void;
}

/** A cell, or without a column a whole row, whose numbers stand in a sentence. */
interface NumbersOf {
  matrix: string;
  row: number;
  column: number | null;
}

/** A sentence with places for numbers; what a query reads most; or one of two sentences, by whether two numbers are
 *  alike. */
type Told =
  | { sentence: import("../scripts/sent.js").Template; places: Record<string, string | number | NumbersOf> }
  | { reads: number }
  | { pair: [NumbersOf, NumbersOf]; alike: Told; differ: Told };

/** What a step of the lesson tells. `about` says where its numbers are from; it and `analogy` may be blank. */
interface Tells {
  /** What was predicted, beside what happened. */
  outcome: string[];
  /** Where to see that a wrong prediction fails: at another token, or at how a number is made. */
  see: { title: string; token?: number; place?: Place } | null;
  sentences: Told[];
  analogy: string;
  about: string;
  /** Whether it is shown to a lecture room. */
  presents: boolean;
  /** The matrices that the step is about, which are the only ones on a narrow screen. */
  part: string[];
}

/** What Python sent, with the matrices that are shown now. */
interface Trace extends Omit<BoardData, "stages" | "matrices"> {
  stages: Stages;
  matrices: Matrices;
}

/** A changed number; null resets it. */
interface Edit extends Place {
  value: number | null;
}

/** A term of a sum; or, without factors, the sum of `count` terms that aren't shown. */
interface Term<Factor = Source> {
  value: number;
  factors: Factor[];
  count: number;
}

/** The number that a cell should have, and how far the roundings of float32 may be from it. */
interface Bounded {
  exact: number;
  tolerance: number;
}

/** How a cell is made. */
interface Explained {
  symbols: string;
  steps: string[];
  words: string;
  notes: string[];
}

/** A cell, with what its row and column stand for, in words. */
interface Cell {
  trace: Trace;
  stage: Stage;
  row: number;
  column: number;
  value: number;
  ofRow: string;
  ofColumn: string;
  write(value: number): string;
}

/** The same, for its rule to explain, with the cells of each source that it is made from. */
interface MadeCell extends Cell {
  masked: boolean;
  sources: Source[][];
}

/** A part of a declared expression: an operation and its operands. */
type Expression = [op: string, ...parts: any[]];

/** A row or column, computed from i, j and k: a constant, their factors, a factor of j modulo `modulus`, and numbers
 *  that are added by i. */
type Index = [constant: number, i: number, j: number, k: number, rest?: number, modulus?: number, entries?: number[]];

type Sentence = [kind: string, key: string, places: Record<string, any>];

/** What some cells are made from, and how that is said; see core/rules/expression.py. */
interface Piece {
  value: Expression;
  symbols: any[];
  words: Sentence[];
  where: any[];
  roundings: number | Expression;
  size?: Expression;
  trouble: string;
  line?: Sentence;
  undefined?: Sentence;
  share?: Expression;
  sink?: number;
  asides?: Sentence[];
}

/** A decimal number: digits times ten to the power. */
interface Decimal {
  digits: bigint;
  power: number;
}

type Board = import("./board.js").Board;
type Grid = import("./cells/grid.js").Grid;
