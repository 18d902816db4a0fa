// Which histories there are, whose, how large and how recently used, and which of them have to go (age, room). Room is made so
// that nobody can take it from others: from who has more than half of it, then from the writer's own, then from what others
// have not used for a while. Pure bookkeeping: it touches no file.

export interface HistoryUse {
  /** "" for nobody in particular; those together are one owner. */
  owner: string;
  textBytes: number;
  imageBytes: number;
  usedAtMs: number;
}

export interface Writer {
  owner: string;
  nowMs: number;
}

export interface Retention {
  /** Undefined when there is no such history. */
  find(name: string): Readonly<HistoryUse> | undefined;
  /** Records a use: the history is now like this. */
  put(name: string, use: HistoryUse): void;
  delete(name: string): void;
  /** The names of an owner's histories, the most recently used first. */
  listOwned(owner: string): string[];
  /** Neither age nor room takes it until the returned function is called; may be called again before. */
  hold(name: string): () => void;
  /** Histories that nobody has used for longer than idleTtl at `nowMs`. */
  listExpired(nowMs: number): string[];
  /** The histories that make room for `bytes` more of the writer's; undefined when that cannot be had. */
  listVictims(bytes: number, writer: Writer): string[] | undefined;
  /** The least recently used ones that are too much already. */
  listSurplus(): string[];
}

export interface RetentionLimits {
  /** Of all histories together. */
  maxBytes: number;
  idleTtlMs: number;
  /** How long a history must have been unused before another owner's may take its place. */
  protectedMs: number;
}

/** Of the room; who has more gives way first, however recently used. */
const maxShare = 0.5;

/** Who holds a history, by its name; it may be held more than once. */
function createHolds() {
  const holds = new Map<string, number>();
  return {
    has: (name: string) => holds.has(name),
    hold(name: string) {
      holds.set(name, (holds.get(name) ?? 0) + 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        const left = (holds.get(name) ?? 0) - 1;
        if (left === 0) holds.delete(name);
        else holds.set(name, left);
      };
    },
  };
}

/** By how much owners have more than their share. */
function listSurpluses(uses: Iterable<HistoryUse>, maxBytes: number): Map<string, number> {
  const surplus = new Map<string, number>();
  for (const use of uses) surplus.set(use.owner, (surplus.get(use.owner) ?? -maxBytes * maxShare) + bytesOf(use));
  return surplus;
}

const bytesOf = ({ textBytes, imageBytes }: HistoryUse) => textBytes + imageBytes;

/** Knows what `found` says. */
export function createRetention(found: ReadonlyMap<string, HistoryUse>, limits: RetentionLimits): Retention {
  // A Map keeps the order of insertion: the least recently used history is the first.
  const uses = new Map<string, HistoryUse>();
  const holds = createHolds();
  let totalBytes = 0;

  const remove = (name: string) => {
    const use = uses.get(name);
    totalBytes -= use === undefined ? 0 : bytesOf(use);
    uses.delete(name);
  };
  const put = (name: string, use: HistoryUse) => {
    remove(name);
    uses.set(name, use);
    totalBytes += bytesOf(use);
  };
  for (const [name, use] of [...found].toSorted(([, a], [, b]) => a.usedAtMs - b.usedAtMs)) put(name, use);

  /** Takes the least recently used of those that may go until `neededBytes` are there; returns what is still needed. */
  const take = (victims: Set<string>, neededBytes: number, mayGo: (use: HistoryUse) => boolean): number => {
    let leftBytes = neededBytes;
    for (const [name, use] of uses) {
      if (leftBytes <= 0) break;
      if (holds.has(name) || victims.has(name) || !mayGo(use)) continue;
      victims.add(name);
      leftBytes -= bytesOf(use);
    }
    return leftBytes;
  };
  return {
    find: (name) => uses.get(name),
    put,
    delete: remove,
    listOwned: (owner) => [...uses].flatMap(([name, use]) => (use.owner === owner ? [name] : [])).toReversed(),
    hold: holds.hold,
    listExpired(nowMs) {
      const expired: string[] = [];
      for (const [name, { usedAtMs }] of uses) {
        if (nowMs - usedAtMs <= limits.idleTtlMs) break;
        if (!holds.has(name)) expired.push(name);
      }
      return expired;
    },
    listVictims(bytes, { owner, nowMs }) {
      const victims = new Set<string>();
      let neededBytes = totalBytes + bytes - limits.maxBytes;
      if (neededBytes <= 0) return [];
      const surplus = listSurpluses(uses.values(), limits.maxBytes);
      neededBytes = take(victims, neededBytes, (use) => {
        const surplusBytes = surplus.get(use.owner) ?? 0;
        surplus.set(use.owner, surplusBytes - bytesOf(use));
        return surplusBytes > 0;
      });
      neededBytes = take(victims, neededBytes, (use) => use.owner === owner);
      neededBytes = take(victims, neededBytes, ({ usedAtMs }) => nowMs - usedAtMs >= limits.protectedMs);
      return neededBytes <= 0 ? [...victims] : undefined;
    },
    listSurplus() {
      const victims = new Set<string>();
      take(victims, totalBytes - limits.maxBytes, () => true);
      return [...victims];
    },
  };
}
