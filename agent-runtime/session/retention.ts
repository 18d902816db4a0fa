// Which histories there are, how large and how recently used, and which of them have to go (age, room). Pure bookkeeping:
// it touches no file.

interface Entry {
  bytes: number;
  usedAtMs: number;
}

export interface Retention {
  /** Bytes of the history; undefined when there is none. */
  sizeOf(name: string): number | undefined;
  /** Records a use: the history now has this size. */
  put(name: string, bytes: number, usedAtMs: number): void;
  delete(name: string): void;
  /** Neither age nor room takes it until the returned function is called; may be called again before. */
  hold(name: string): () => void;
  /** Histories that nobody has used for longer than idleTtl at `nowMs`. */
  listExpired(nowMs: number): string[];
  /** The least recently used histories that make room for `bytes` more; undefined when that cannot be had. */
  listVictims(bytes: number): string[] | undefined;
}

/** Knows what `found` says; all together may have `maxBytes`. */
export function createRetention(
  found: readonly { name: string; bytes: number; usedAtMs: number }[],
  limits: { maxBytes: number; idleTtlMs: number },
): Retention {
  // A Map keeps the order of insertion: the least recently used history is the first.
  const entries = new Map<string, Entry>();
  const holds = new Map<string, number>();
  let totalBytes = 0;

  const remove = (name: string) => {
    totalBytes -= entries.get(name)?.bytes ?? 0;
    entries.delete(name);
  };
  const put = (name: string, bytes: number, usedAtMs: number) => {
    remove(name);
    entries.set(name, { bytes, usedAtMs });
    totalBytes += bytes;
  };
  for (const { name, bytes, usedAtMs } of found.toSorted((a, b) => a.usedAtMs - b.usedAtMs)) put(name, bytes, usedAtMs);
  return {
    sizeOf: (name) => entries.get(name)?.bytes,
    put,
    delete: remove,
    hold(name) {
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
    listExpired(nowMs) {
      const expired: string[] = [];
      for (const [name, { usedAtMs }] of entries) {
        if (nowMs - usedAtMs <= limits.idleTtlMs) break;
        if (!holds.has(name)) expired.push(name);
      }
      return expired;
    },
    listVictims(bytes) {
      const victims: string[] = [];
      let neededBytes = totalBytes + bytes - limits.maxBytes;
      for (const [name, entry] of entries) {
        if (neededBytes <= 0) break;
        if (holds.has(name)) continue;
        victims.push(name);
        neededBytes -= entry.bytes;
      }
      return neededBytes <= 0 ? victims : undefined;
    },
  };
}
