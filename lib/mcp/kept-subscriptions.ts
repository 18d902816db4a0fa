// What sessions of the 2025 era have subscribed to, by their ids, for those that are resumed: one that idled out or made room,
// and, where whoever mounts the endpoint keeps it somewhere that outlives the process, one of a process before this.

export interface KeptSubscriptions {
  /** The URIs that were saved last; none where nothing is known. When it rejects, the session is not resumed now. */
  load(sessionId: string): Promise<readonly string[]>;
  /** Called after each change, with all URIs of the session; with none when they can be forgotten. It must not throw. */
  save(sessionId: string, uris: readonly string[]): void;
}

/** Together, each with its id; enough for thousands of sessions of a dashboard. */
const maxHeldCharacters = 4 * 1024 * 1024;

const charactersOf = (uris: readonly string[]): number => uris.reduce((sum, uri) => sum + uri.length + 32, 64);

/** In memory; whoever changed longest ago is forgotten first. */
export function keepSubscriptionsInMemory(maxChars = maxHeldCharacters): KeptSubscriptions {
  const kept = new Map<string, readonly string[]>();
  let heldCharacters = 0;
  const forget = (sessionId: string) => {
    const uris = kept.get(sessionId);
    if (uris === undefined) return;
    kept.delete(sessionId);
    heldCharacters -= charactersOf(uris);
  };
  return {
    load: async (sessionId) => kept.get(sessionId) ?? [],
    save(sessionId, uris) {
      forget(sessionId);
      if (uris.length === 0) return;
      kept.set(sessionId, uris);
      heldCharacters += charactersOf(uris);
      for (const oldest of kept.keys()) {
        if (heldCharacters <= maxChars) return;
        forget(oldest);
      }
    },
  };
}
