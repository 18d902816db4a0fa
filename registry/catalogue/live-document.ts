// A text that is served from memory while it changes: plain at once, compressed as soon as that is done. Whatever the
// encoding, an older text is never served beside a newer one.
import type { Logger } from "../../lib/process/log.ts";
import { encodeCompressed, encodePlain, type EncodedDocument, type ServedAs } from "./document.ts";

export class LiveDocument {
  readonly #as: ServedAs;
  readonly #log: Logger;
  #text: string | undefined;
  #current: EncodedDocument | undefined;
  #compressing: Promise<void> | undefined;

  constructor(as: ServedAs, log: Logger) {
    this.#as = as;
    this.#log = log;
  }

  /** undefined until there is a text. */
  current = (): EncodedDocument | undefined => this.#current;

  set(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#current = encodePlain(text, this.#as);
    this.#compressing ??= this.#compress(this.#current);
  }

  /** Resolves when the last text is there in every encoding. */
  async settled(): Promise<void> {
    await this.#compressing;
  }

  /** One text at a time: those that come meanwhile are passed over but for the last. */
  async #compress(first: EncodedDocument): Promise<void> {
    try {
      for (let plain = first; ;) {
        const compressed = await encodeCompressed(plain, this.#as);
        if (this.#current === plain || this.#current === undefined) {
          this.#current = compressed;
          return;
        }
        plain = this.#current;
      }
    } catch (error) {
      this.#log.error({ err: error }, "document could not be compressed, serving it plain");
    } finally {
      this.#compressing = undefined;
    }
  }
}
