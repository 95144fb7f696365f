// What Python sends with a script, when it is joined: attnviz/scripts/__init__.py.

/** A sentence of the catalogue, or its forms. */
export type Template = string | { readonly one: string; readonly other: string };

/** The sentences that the script says, by their keys. */
export const SENTENCES: { readonly [key: string]: Template };
