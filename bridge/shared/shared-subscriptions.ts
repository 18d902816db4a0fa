// Who of those that share a process follows which resource. The process hears of the first who follows one, and of the last's end.
const maxSubscriptions = 4_096;

export class SharedSubscriptions<Holder> {
  readonly #byUri = new Map<string, Set<Holder>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False when there are too many. */
  add(uri: unknown, holder: Holder): boolean {
    if (typeof uri !== "string") return true;
    if (this.#size >= maxSubscriptions) return false;
    const holders = this.#byUri.get(uri) ?? new Set();
    this.#byUri.set(uri, holders);
    if (!holders.has(holder)) this.#size += 1;
    holders.add(holder);
    return true;
  }

  /** True when nobody follows it any more, and somebody did. */
  remove(uri: unknown, holder: Holder): boolean {
    if (typeof uri !== "string") return false;
    const holders = this.#byUri.get(uri);
    if (holders?.delete(holder) !== true) return false;
    this.#size -= 1;
    if (holders.size > 0) return false;
    return this.#byUri.delete(uri);
  }

  /** What nobody follows any more, once this one is gone. */
  removeAll(holder: Holder): string[] {
    return [...this.#byUri.keys()].filter((uri) => this.remove(uri, holder));
  }

  holders(uri: unknown): readonly Holder[] {
    return typeof uri === "string" ? [...(this.#byUri.get(uri) ?? [])] : [];
  }
}
