// Order of resourceVersions. Kubernetes guarantees that numeric ones of a resource can be compared; anything else is
// opaque, and only equality means something.

const numericPattern = /^(0|[1-9]\d*)$/;

/** Negative, 0 or positive like a sort function; undefined when the two cannot be compared. */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!numericPattern.test(a) || !numericPattern.test(b)) return undefined;
  // Without leading zeros the longer number is the larger; this spares a BigInt per event.
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

export function isOlder(a: string, b: string): boolean {
  return (compareResourceVersions(a, b) ?? 0) < 0;
}
