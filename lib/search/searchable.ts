// What can be searched, and what turns words into a vector.

export interface SearchableServer {
  readonly name: string;
  readonly description?: string;
}

export interface SearchableTool {
  readonly name: string;
  readonly description?: string;
  readonly category?: string;
  readonly parameters: readonly { readonly name: string; readonly description?: string }[];
}

export interface WordTable {
  /** Numbers in a vector. */
  readonly width: number;
  /** The meaning of some words as a vector of length 1; undefined when none of them is known. */
  embed(words: readonly string[]): Float32Array | undefined;
}

/** What arrays of vectors can do too; others make each as it is asked for, so that not all are held twice. */
export interface VectorList {
  readonly length: number;
  at(index: number): Float32Array | undefined;
}

/** Whether a caller may see a tool. */
export type Accept = (server: string, tool: string) => boolean;
