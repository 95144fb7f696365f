// What the board's modules speak of, by names that hold in every script. What Python sends is made in
// attnviz/board/data.py and attnviz/app/components/board.py.

interface Place {
  matrix: string;
  row: number;
  column: number;
}

/** Cells side by side: so many rows and columns, from one cell on. */
interface Span {
  row: number;
  column: number;
  rows: number;
  columns: number;
  /** Of two cells in a row that lie apart, by how many columns. */
  step?: number;
}

/** A cell that another one is made from. */
interface Source extends Place {
  value: number;
}

/** Why a mask hides the cells that are 1; of a window, how many tokens it has. */
interface Why {
  key: string;
  n: number;
  /** Whether it goes by places that queries and keys have in common. */
  placed: boolean;
  cells: Float64Array;
}

/** Its values row by row. */
interface Matrix {
  rows: number;
  columns: number;
  values: Float64Array;
  /** Of what hides cells. */
  whys?: Why[];
}

type Matrices = Record<string, Matrix>;

/** The fields of a stage's rule, of which each rule has some. */
interface Settings {
  transposed: boolean;
  cosine: boolean;
  typed: [row: number, column: number, number: number][];
  d_k: number | null;
  temperature: number;
  temperature_text: string;
  factor: boolean;
  /** Whether a model has a number of its own in place of √d_k. */
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

/** What its rule is, in place of its name; of what is given, nothing: core/rules/base.py. */
interface Traits {
  product?: boolean;
  divides?: boolean;
  /** Whether its rows are pieces of rows of other tokens. */
  cuts?: boolean;
  /** Over what shares are made, null where nobody gets what a mask takes; whether rows sum to 1; whether of powers. */
  shares?: { over: string | null, all: boolean, powers: boolean };
  /** Whether weights that it makes may be negative. */
  signed?: boolean;
  /** Which sources stand as its factor and as its bias. */
  beside?: [factor: number | null, bias: number | null];
}

/** What a matrix is to attention, which its colour tells: attnviz/colours/palette.py. */
type Role = "x" | "q" | "k" | "a" | "v";

/** A colour as #rrggbb, on a light and on a dark page. */
interface Tone {
  light: string;
  dark: string;
}

type Roles = Record<Role | "negative" | "paper" | "picked", Tone>;

/** A step from the page's colour to that of a role, and the ink that can be read on it. */
interface Shade {
  paper: string;
  ink: "#000" | "#fff";
}

/** Shades from the page's colour on, for each role and for negative numbers. */
type Ramps = Record<Role | "negative", import("./cells/colours.js").Ramp>;

type Axis = "token" | "query" | "key" | "feature" | "entry" | "distance";

/** A row of the table of stages. */
interface Stage {
  name: string;
  symbol: string;
  title: string;
  /** Its title without the number of its head. */
  called: string;
  plain: string;
  axes: string;
  meaning: string;
  rows: Axis;
  columns: Axis;
  origin: string;
  /** "given" for what is not computed. */
  rule: string;
  sources: string[];
  settings: Settings;
  is: Traits;
  /** What its rule declares of its cells; of what is given, nothing. */
  declared: Piece[];
  /** Of scores of queries and keys that are made of sums of words and places: the projection of each, and the sums. */
  factors?: [by: string, transposed: boolean, sums: [from: number, names: string[]][]][];
  shape: [rows: number, columns: number];
  /** The matrix that hides cells where it holds −∞. */
  masked_by: string | null;
  isVector: boolean;
  /** Of one of several heads, which; else null. */
  head: number | null;
  /** How many heads have it in common. */
  shared_by: number;
  /** The column of the whole Q, K, V or context where this head's columns begin. */
  first: number;
  /** The texts of a vocabulary, where rows or columns stand for its entries; of another sentence, or of more, where
   *  these are keys. */
  entries: string[];
  /** Which key is that of the first token, behind those that were kept; null where keys are of another sentence. */
  own_from: number | null;
  hidden_with: string;
  owners: [parts: number, part: number]; // to which tokens its rows really belong
  layer: number;
  role: Role;
  /** What it is in two or three words. */
  short: string;
}

/** The table, by the stages' names: whoever asks for one has its name from the table. */
interface Stages {
  get(name: string): Stage;
  values(): IterableIterator<Stage>;
}

/** A row of the table as Python sends it. */
type SentStage = Omit<Stage, "settings"> & { settings: Partial<Settings> };

/** A cell on the page, with what it shows. */
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

/** A matrix as it is sent: its numbers, or the bits of their float32 in base64, or how they follow from another's. */
interface SentMatrix {
  rows: number;
  columns: number;
  values?: (number | string)[];
  float32?: string;
  /** In a page of its own: see values/made_again.js. */
  apart?: number[];
  of?: string;
  dividedBy?: number;
  /** The mask that is added to it, where there is one. */
  plus?: string;
  whys?: string;
  /** How often each of its numbers comes in a row, where few change. */
  runs?: [count: number, value: number | string][];
}

/** What is needed to evaluate a table and to explain its cells. */
interface TableData {
  stages: SentStage[];
  matrices: Record<string, SentMatrix>;
  tokens: string[];
}

/** What is said of a word, and what a reader may say of it. */
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
  /** What the tokens that are read are called in the same ways, and whether they are others than those that read, or
   *  more. */
  keys: string[];
  readNames: string[];
  others: boolean;
  before: Record<string, number | string>;
  origins: Record<string, string[]>;
  /** Whether random numbers decide who reads whom: "all", "some" or none of them. */
  chance: "all" | "some" | "";
  /** Whether vectors say what kind of words there are, and whether enough of these are known. */
  byClass: "known" | "unknown" | "";
  /** What a typed sentence gets where no page adds it. */
  ownSentence?: import("../scripts/own_sentence.js").ByClass;
  /** What is said of each token's kind when it's picked, of a missing verb, and of changes; and what can be done. */
  words?: {
    tokens: OfWord[]; verb: OfWord; changed: string;
    acts: { title: string; patch: Record<string, string | null>; page: string | null }[];
  } | null;
  query: number;
  /** Of several heads, which is in view; else null. */
  head: number | null;
  /** Whether the mask is there to be painted. */
  paints: boolean;
  /** How many layers there are, and which is in view. */
  layers: number;
  layer: number;
  /** What each of several does, in few words and with its definition. */
  heads: { short: string; full: string }[];
  digits: number;
  /** So many have the numbers in cells. */
  cellDigits: number;
  /** What the columns of X stand for, where they stand for something. */
  features: string[] | null;
  /** Whether what is learned is told from what is computed. */
  framed: boolean;
  /** The sentence as it was typed, and what the page says of the numbers beside what is read most. */
  text: string;
  /** What one can begin with. */
  examples: { name: string; title: string; shows: string; patch: Record<string, string | null>; whole: boolean }[];
  about: string;
  /** Whether the tokens stand over the matrices, to be picked; of each, where its vector is from. */
  sentence: boolean;
  tips: string[];
  /** Whether what is read is said, and shown by ribbons, for which there may be no room at all. */
  says: boolean;
  ribbons: boolean | null;
  /** Whether scaled scores stand in the place of scores from the start. */
  scaled: boolean;
  plane: boolean;
  /** Matrices that have their place and aren't reached yet. */
  ghosts: string[];
  lit: Place | null;
  only: Place | null;
  fresh: string[];
  /** The sizes of matrices in symbols, rows and columns. */
  notes: Record<string, string[]>;
  /** What a step of the lesson tells. */
  tells?: Tells | null;
  /** The part of its play that the page wants, by its matrix; each wish has a number of its own. */
  play?: { part: string; number: number } | null;
  key: string;
  /** What tells the page's query that this is drawn from. */
  from?: string;
  ofNow: boolean;
  /** Whether what isn't attention folds where not all has room, though it isn't explored. */
  folds?: boolean;
  /** What of a board is picked, by the parameters that say so. */
  picks?: { query?: string; cell?: string; head?: string } | null;
  /** Where all that is done on it is stored as one text, and that as it is without. */
  store?: { parameter: string; text: string } | null;
  /** Where torch's numbers are asked for beside the page's runs, and of which board. */
  numbers?: { at: string; page: string } | null;
  /** The matrices that the panel What if changes, where it stands on the page. */
  whatIf?: string[];
  /** Whether no number of it can be changed: those of a model that people use. */
  fixed?: boolean;
  /** Of a model that is trained, the step that its numbers are of. */
  moment?: number;
  /** Of a model that writes on: its rows "from" one on were computed now; "of" these matrices, those before it at a
   *  step "before", or they are read from its "cache". */
  ages?: { from: number; of: Record<string, "before" | "cache"> };
  numbersOf: string;
  picked?: Place | null;
}

/** What a board stands in, and what that offers it: the app is in_app.js. */
interface Host {
  /** The query that is changed by what is done on it, and its versions, where somebody answers. */
  readonly page: Pick<import("../scripts/address.js").Address,
    "away" | "change" | "controls" | "go" | "mark" | "query" | "version" | "versionOf"> | null;
  /** Torch's numbers of a query, from where they are asked for. */
  numbers?(at: string, asked: object): Promise<Partial<BoardData> | null>;
  /** What is answered beside numbers. */
  can: { text: boolean; layers: boolean };
  /** Where the board's upper edge is before anything is scrolled, and how high the window is. */
  room(): { top: number; height: number };
  /** What of the window is in sight of the board, and how that is moved. */
  view(): { top: number; bottom: number; width: number };
  scroll(by: number): void;
  scheme(): "light" | "dark";
  /** Whether anything was done on a board before. */
  store: { isFirst(): boolean; remember(): void } | null;
  /** Takes edits, where nobody answers. */
  takes?(edits: Edit[]): void;
  /** How far colours go of the matrices that share this limit, by default as far. */
  widest?(limit: number): number;
  /** Whose numbers are shown, in words: those that were sent, or the page's own; by default, and where null,
   *  torch's that answers. */
  whose?(sent: boolean): string | null;
  /** Is told what was done where there is no page, as its "query"; of which "numbers" are shown, null for the page's
   *  own, and which token is "picked". */
  tells?(what: string, detail: unknown): void;
  /** What draws why a word reads what it does, fetched where it isn't there. */
  plane(board: Board): Promise<import("./plane/plane.js").Plane>;
  /** Brings the panel What if into sight, and the board's foot above it. */
  bringPanel?(board: Board): void;
}

/** What stands in a cell of a matrix, or, without a column, in a row of it. */
interface NumbersOf {
  matrix: string;
  row: number;
  column: number | null;
}

/** A sentence with places for numbers, what a query reads most, or the one of two that is true of a pair of numbers. */
type Told =
  | { sentence: import("../scripts/sent.js").Template; places: Record<string, string | number | NumbersOf> }
  | { reads: number }
  | { pair: [NumbersOf, NumbersOf]; alike: Told; differ: Told };

/** What a step of the lesson tells; `analogy` and `about`, where its numbers are from, may be blank. */
interface Tells {
  /** What was predicted beside what happened. */
  outcome: string[];
  /** Where a wrong prediction is seen to fail, too: with which token, or how a number is made. */
  see: { title: string; token?: number; place?: Place } | null;
  sentences: Told[];
  analogy: string;
  about: string;
  /** Whether it is shown to a lecture room. */
  presents: boolean;
  /** The matrices that it is about, which stand alone on a narrow screen. */
  part: string[];
}

/** What Python sends, with the matrices that are shown. */
interface Made extends Omit<BoardData, "stages" | "matrices"> {
  stages: Stages;
  matrices: Matrices;
}

/** A number that is changed; null for one that is reset. */
interface Edit extends Place {
  value: number | null;
}

/** A term of a sum, or, without factors, the remainder of so many. */
interface Term<Factor = Source> {
  value: number;
  factors: Factor[];
  count: number;
}

/** What a cell should be, and how far the roundings of float32 may be from it. */
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

/** A cell as it stands: in words, too. */
interface Cell {
  made: Made;
  stage: Stage;
  row: number;
  column: number;
  value: number;
  ofRow: string;
  ofColumn: string;
  write(value: number): string;
}

/** The same for its rule to explain, with the cells that it is made from, for each source. */
interface MadeCell extends Cell {
  masked: boolean;
  sources: Source[][];
}

/** A part of a declared expression: what it does, and what with. */
type Expression = [op: string, ...parts: any[]];

/** A row or column: a number, and times i, j, k and j modulo a number; entries are added by i. */
type Index = [constant: number, i: number, j: number, k: number, rest?: number, modulus?: number, entries?: number[]];

type Sentence = [kind: string, key: string, places: Record<string, any>];

/** What some cells are made from, and how that is said: core/rules/expression.py. */
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

/** Digits times ten to the power. */
interface Decimal {
  digits: bigint;
  power: number;
}

type Board = import("./board.js").Board;
type Grid = import("./cells/grid.js").Grid;
