// What is drawn in the panel beside the spine: keys around a query, and values around the context mixed from them.

/** In units of the vectors, or in pixels of the picture. */
type Point = [x: number, y: number];

/** A key by a query: how far it reaches along it, and where it stands. */
interface KeySpot {
  reach: number;
  at: Point;
  /** Where on the query's axis it stands. */
  foot: Point;
}

interface Size {
  width: number;
  height: number;
}

/** Pixels of a unit, and where the origin is. */
interface View {
  unit: number;
  origin: Point;
  /** Whether it stays, whatever leaves it: as long as a hand moves a tip in it. */
  fixed?: boolean;
}

/** What names rather don't lie on. */
interface Line {
  from: Point;
  to: Point;
  width: number;
}

/** What wants a name beside it. Of more than have room, the first in rank are named. */
interface Named extends Size {
  id: string;
  at: Point;
  radius: number;
  rank: number;
}

/** Where a name stands, which of all places that is, and the line that leads to it where it stands far off. */
interface Placed extends Rect {
  id: string;
  choice: number;
  leader: [Point, Point] | null;
}

/** A key or a value as it is drawn. */
interface Mark {
  word: number;
  at: Point;
  /** Where on the query's axis it stands, or the same place. */
  foot: Point;
  path: string;
  drop: string;
  radius: number;
  width: number;
  weight: number;
}

/** A line through the picture, what it is called, and where its name may stand. */
interface AxisLine {
  path: string;
  text: string;
  stands: Rect[];
}

interface Picture {
  view: View;
  /** Where all lines begin or end. */
  hub: Point;
  rulers: AxisLine[];
  /** The line along the query. */
  axis: string;
  marks: Mark[];
  /** Of the query or the context: its shape, and where its name belongs. */
  main: { path: string; at: Point; radius: number; label: string } | null;
}

/** What the panel says of a picture: a sentence, a line of numbers in colours, and a note. */
interface PictureWords {
  sentence: string;
  numbers: { text: string; role: string }[];
  note: string;
  alt: string;
}

interface Axes {
  centre: number[];
  axes: number[][];
  /** What they hold of the variance; null where there is none. */
  share: number | null;
}
