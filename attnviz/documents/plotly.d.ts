/** The element that plotly.js has drawn a figure in. */
type Plot = HTMLElement & { _fullLayout: { width: number; height: number; margin: { l: number; r: number } } };

/** The functions that we call in the part of plotly.js that a figure's page contains. */
declare const Plotly: {
  newPlot(place: HTMLElement, data: unknown, layout: unknown, options: object): Promise<Plot>;
  relayout(plot: Plot, changes: Record<string, number>): Promise<Plot>;
  toImage(plot: Plot, options: object): Promise<string>;
};
