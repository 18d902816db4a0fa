// Lets a cache keep little of an object that was found to hold just what is desired (I13): who it is, what is read of it,
// and here a digest of all the rest. As long as the server sends the same content, it still holds what it held; any other
// content is kept whole until it is judged. After a start nothing is judged, so everything is looked at once.
// Question 6 of "Is what I see fresh?" in README.md.
import { hash } from "node:crypto";
import { keyOf, type LiveObject } from "./object.ts";
import type { Store } from "./store.ts";

/** What an applier knows and tells of the objects in a cache. */
export interface Judgements<T extends LiveObject> {
  /** The hash of the desired object that this one, as the cache has it, is known to hold. Undefined: look at it. */
  heldBy(live: T): string | undefined;
  /** This object, as the server sent it, holds the desired object of that hash. */
  judge(live: T, desired: string): void;
}

interface Judgement<T> {
  readonly content: string;
  readonly desired: string;
  /** What the cache has instead of the whole object. */
  kept?: T;
}

export class JudgedObjects<T extends LiveObject> implements Judgements<T> {
  readonly #store: Store<T, string>;
  readonly #slim: (object: T) => T;
  readonly #byUid = new Map<string, Judgement<T>>();

  /** @param slim all that is read of an object that needs no judging */
  constructor(store: Store<T, string>, slim: (object: T) => T) {
    this.#store = store;
    this.#slim = slim;
    store.onChange((change) => {
      if (change.type === "deleted") this.#byUid.delete(change.previous.metadata.uid);
    });
  }

  /** Objects that were judged. */
  get size(): number {
    return this.#byUid.size;
  }

  /** What the cache is to have of an object that the server has sent. */
  admit(object: T): T {
    const judgement = this.#byUid.get(object.metadata.uid);
    if (judgement === undefined || digestOf(object) !== judgement.content) return object;
    judgement.kept = this.#slim(object);
    return judgement.kept;
  }

  heldBy(live: T): string | undefined {
    const judgement = this.#byUid.get(live.metadata.uid);
    return judgement?.kept === live ? judgement.desired : undefined;
  }

  judge(live: T, desired: string): void {
    // It goes, whatever it holds.
    if (live.metadata.deletionTimestamp !== undefined) return;
    const judgement: Judgement<T> = { content: digestOf(live), desired };
    this.#byUid.set(live.metadata.uid, judgement);
    const key = keyOf(live);
    const cached = this.#store.get(key)?.metadata;
    // Of another version the cache hears by itself.
    if (cached?.uid !== live.metadata.uid || cached.resourceVersion !== live.metadata.resourceVersion) return;
    judgement.kept = this.#slim(live);
    this.#store.exchange(key, judgement.kept);
  }
}

/**
 * Of all that somebody may have edited. The server's order of fields is taken as it is: should another server have
 * another one, the object is judged once more.
 */
function digestOf({ metadata, ...fields }: LiveObject): string {
  const { resourceVersion: _version, generation: _generation, ...edited } = metadata;
  const content = Object.entries(fields).filter(([name]) => !unedited.has(name));
  return hash("sha256", JSON.stringify([edited, content]), "base64");
}

/** What is the same in all versions, at another place in those of a list, or no desired state. */
const unedited: ReadonlySet<string> = new Set(["apiVersion", "kind", "status"]);
