// The types of the plane, which shows keys around a query, and values around the context that is mixed from them.

/** In the units of the vectors, or in pixels of the picture. */
type Point = [x: number, y: number];

/** A key beside a query: how far it reaches along the query, and its point. */
interface KeySpot {
  reach: number;
  at: Point;
  /** The point on the query's line that is nearest to it. */
  foot: Point;
}

interface Size {
  width: number;
  height: number;
}

/** How many pixels a unit has, and where the origin is. */
interface View {
  unit: number;
  origin: Point;
  /** Whether the view stays even if points leave it, because a tip is being dragged in it. */
  fixed?: boolean;
}

/** A line that names avoid. */
interface Line {
  from: Point;
  to: Point;
  width: number;
}

/** A point that should have a name beside it. If not all names have room, those first in rank are shown. */
interface Named extends Size {
  id: string;
  at: Point;
  radius: number;
  rank: number;
}

/** A name's place: its box, which of the possible places that is, and a line to the point if it stands far from it. */
interface Placed extends Rect {
  id: string;
  choice: number;
  leader: [Point, Point] | null;
}

/** A key or a value as it's drawn. */
interface Mark {
  word: number;
  at: Point;
  /** The nearest point on the query's line; of a value, its own point. */
  foot: Point;
  path: string;
  drop: string;
  radius: number;
  width: number;
  weight: number;
}

/** A line through the picture, its name, and the places where that may stand. */
interface AxisLine {
  path: string;
  text: string;
  stands: Rect[];
}

interface Picture {
  view: View;
  /** The point at which all lines begin or end. */
  hub: Point;
  rulers: AxisLine[];
  /** The line along the query. */
  axis: string;
  marks: Mark[];
  /** The query or the context: its shape, and its name beside a point. */
  main: { path: string; at: Point; radius: number; label: string } | null;
}

/** A picture in words: a sentence, a line of coloured numbers, and a note; `alt` is all of it for a screen reader. */
interface PictureWords {
  sentence: string;
  numbers: { text: string; role: string }[];
  note: string;
  alt: string;
}

interface Axes {
  centre: number[];
  axes: number[][];
  /** The part of the variance along these axes; null if there is none. */
  share: number | null;
}
