/** What plotly.js makes of an element. */
type Plot = HTMLElement & { _fullLayout: { width: number; height: number; margin: { l: number; r: number } } };

/** The part of plotly.js that a figure's page carries along: what is called of it. */
declare const Plotly: {
  newPlot(place: HTMLElement, data: unknown, layout: unknown, options: object): Promise<Plot>;
  relayout(plot: Plot, changes: Record<string, number>): Promise<Plot>;
  toImage(plot: Plot, options: object): Promise<string>;
};
