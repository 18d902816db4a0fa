// How many exchanges run at a time, in all and for one caller, so that nobody keeps the others out. It knows who holds how
// many, and nothing of what they do.

export interface Places {
  /** A place until what it returns is called; else whose places are all taken. */
  take(subject: string): (() => void) | "caller" | "all";
  count(): number;
}

export function createPlaces({ maxExchanges, maxPerCaller }: { maxExchanges: number; maxPerCaller: number }): Places {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take(subject) {
      const own = taken.get(subject) ?? 0;
      if (own >= maxPerCaller) return "caller";
      if (total >= maxExchanges) return "all";
      taken.set(subject, own + 1);
      total += 1;
      let released = false;
      return () => {
        if (released) return;
        released = true;
        total -= 1;
        const left = (taken.get(subject) ?? 1) - 1;
        if (left === 0) taken.delete(subject);
        else taken.set(subject, left);
      };
    },
    count: () => total,
  };
}
