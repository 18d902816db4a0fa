// Resources of the gateway as signals: read when a view first needs one, read again when the gateway says that it changed, kept for a
// while after the last view let go of it, so that Back shows at once what was there. What does not fit its schema is a problem
// that names the page's age, never a half-read view.
import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type * as z from "zod";
import type { PageTime } from "../time.ts";
import { connectWords as words } from "../words/connect.ts";
import type { Connection } from "./connection.ts";
import { Problem, toProblem } from "./problem.ts";

/** `data` stays when a later read fails: the view keeps what it had. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  /** When it was first asked for, by `elapsed()`: for "still waiting". */
  readonly askedAtMs: number;
  /** Reads it once more; there while somebody looks at it. */
  readonly again?: () => void;
}

/** What a resource is made of. `json`: its text is JSON. */
export interface ResourceKind<T> {
  readonly parse: (text: string) => T;
}

export const jsonResource = <T>(schema: z.ZodType<T>): ResourceKind<T> => ({
  parse: (text) => schema.parse(JSON.parse(text)),
});

export interface Resources {
  /** Call `release` when the view goes. One URI is always asked for with the same kind. */
  use<T>(uri: string, kind: ResourceKind<T>): { loaded: ReadonlySignal<Loaded<T>>; release(): void };
  /** Forgets everything: somebody else signed in. */
  clear(): void;
}

/** How long what nobody looks at is kept. */
const keptMs = 30_000;
const maxKept = 64;

interface Entry {
  readonly loaded: Signal<Loaded<unknown>>;
  readonly kind: ResourceKind<unknown>;
  users: number;
  stop: (() => void) | undefined;
  cancelForget: () => void;
}

type Source = Pick<Connection, "read" | "follow" | "state">;

export const createResources = (source: Source, time: PageTime): Resources => new ResourceStore(source, time);

class ResourceStore implements Resources {
  readonly #source: Source;
  readonly #time: PageTime;
  readonly #entries = new Map<string, Entry>();

  constructor(source: Source, time: PageTime) {
    this.#source = source;
    this.#time = time;
  }

  use<T>(uri: string, kind: ResourceKind<T>) {
    const entry: Entry = this.#entries.get(uri) ?? {
      loaded: signal({ data: undefined, problem: undefined, askedAtMs: this.#time.elapsed() }),
      kind,
      users: 0,
      stop: undefined,
      cancelForget: () => {},
    };
    this.#entries.set(uri, entry);
    entry.cancelForget();
    entry.users += 1;
    if (entry.stop === undefined) this.#begin(uri, entry);
    let isReleased = false;
    return {
      loaded: narrow<T>(entry.loaded),
      release: () => {
        if (!isReleased) this.#release(uri, entry);
        isReleased = true;
      },
    };
  }

  clear(): void {
    for (const { stop, cancelForget } of this.#entries.values()) {
      stop?.();
      cancelForget();
    }
    this.#entries.clear();
  }

  #begin(uri: string, entry: Entry): void {
    const refresh = createReader(uri, entry, this.#source);
    entry.stop = this.#source.follow(uri, refresh);
    entry.loaded.value = { ...entry.loaded.peek(), again: refresh };
    // While the connection is being made, its first word reads everything.
    if (this.#source.state.peek().kind === "live") refresh();
  }

  #release(uri: string, entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0) return;
    entry.stop?.();
    entry.stop = undefined;
    entry.cancelForget = this.#time.after(keptMs, () => {
      if (this.#entries.get(uri) === entry) this.#entries.delete(uri);
    });
    const [oldest] = [...this.#entries].find(([, { users }]) => users === 0) ?? [];
    if (this.#entries.size > maxKept && oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** One read at a time; what changes meanwhile is read once more. */
function createReader(uri: string, entry: Entry, source: Source): () => void {
  let isReading = false;
  let isDirty = false;
  const read = async () => {
    isReading = true;
    do {
      isDirty = false;
      entry.loaded.value = await readOnce(uri, entry, source);
    } while (isDirty && entry.stop !== undefined);
    isReading = false;
  };
  return () => {
    isDirty = true;
    if (!isReading) void read();
  };
}

async function readOnce(uri: string, { kind, loaded }: Entry, source: Source): Promise<Loaded<unknown>> {
  const before = loaded.peek();
  try {
    return { ...before, data: parseResource(await source.read(uri), kind), problem: undefined };
  } catch (error) {
    const problem = toProblem(error);
    // What is gone is gone; any other problem leaves what was there.
    return { ...before, data: problem.kind === "gone" ? undefined : before.data, problem };
  }
}

function parseResource(text: string, kind: ResourceKind<unknown>): unknown {
  try {
    return kind.parse(text);
  } catch (error) {
    throw new Problem("refused", words.strange, { cause: error });
  }
}

/** What an entry holds was made by the kind that it was asked for with. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const narrow = <T>(loaded: Signal<Loaded<unknown>>): ReadonlySignal<Loaded<T>> => loaded as ReadonlySignal<Loaded<T>>;
