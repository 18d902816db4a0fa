// Who meets text of others, and after which beginnings a hostile run may stand.

export interface Reader {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** What a run comes after; beside them it is tried alone. */
  readonly after?: readonly string[];
  /** What it comes before; beside them some endings that belong to nothing. */
  readonly before?: readonly string[];
}
