// Versions below which a package has a problem that somebody could use against Pallas, each with the published advisory. A new
// advisory on what is installed is a line here; an update goes above it.

export interface DependencyFloor {
  readonly name: string;
  /** The first version without the problem. */
  readonly floor: string;
  /** What is cured by it. */
  readonly advisory: string;
}

export const dependencyFloors: readonly DependencyFloor[] = [
  { name: "@hono/node-server", floor: "1.10.1", advisory: "CVE-2024-32652: a malformed Host ends the server" },
  { name: "@modelcontextprotocol/sdk", floor: "1.26.0", advisory: "CVE-2026-25536: answers reach another client" },
  { name: "ajv", floor: "8.18.0", advisory: "CVE-2025-69873: a pattern from $data runs without end" },
  { name: "body-parser", floor: "2.2.1", advisory: "CVE-2025-13466: many parameters stop the process" },
  { name: "cookie", floor: "0.7.0", advisory: "CVE-2024-47764: fields outside of a cookie's name and value" },
  { name: "cross-spawn", floor: "7.0.5", advisory: "CVE-2024-21538: a regular expression without end" },
  { name: "esbuild", floor: "0.25.0", advisory: "GHSA-67mh-4wv8-2f99: any site reads its development server" },
  { name: "form-data", floor: "4.0.4", advisory: "CVE-2025-7783: boundaries that can be guessed" },
  { name: "hono", floor: "4.11.4", advisory: "CVE-2026-22817: a JWT chooses its own algorithm" },
  { name: "jose", floor: "4.15.5", advisory: "CVE-2024-28176: compressed JWEs without a limit" },
  { name: "js-yaml", floor: "4.1.1", advisory: "CVE-2025-64718: merge keys change prototypes" },
  { name: "jsonpath-plus", floor: "10.3.0", advisory: "CVE-2025-1302: a path runs code" },
  { name: "path-to-regexp", floor: "8.0.0", advisory: "CVE-2024-45296: a regular expression without end" },
  { name: "qs", floor: "6.14.1", advisory: "CVE-2025-15284: lists without a limit" },
  { name: "undici", floor: "7.5.0", advisory: "CVE-2025-47279: bad certificates leak memory" },
  { name: "ws", floor: "8.17.1", advisory: "CVE-2024-37890: many headers end the server" },
];

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
}

/** `a` before `b`, by numbers; what stands behind a hyphen comes before the release. */
function isBelow(a: string, b: string): boolean {
  const numbers = (version: string) => (version.split("-")[0] ?? "").split(".").map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  const at = left.findIndex((each, index) => each !== right[index]);
  return at === -1 ? a.includes("-") && !b.includes("-") : (left[at] ?? 0) < (right[at] ?? 0);
}

/** One sentence for each copy of a package that is too old, and for each floor that nothing stands on. */
export function findBelowFloors(
  installed: readonly InstalledPackage[],
  floors: readonly DependencyFloor[] = dependencyFloors,
): string[] {
  return floors.flatMap(({ name, floor, advisory }) => {
    const copies = installed.filter((each) => each.name === name);
    if (copies.length === 0) return [`${name} is not installed any more: take its floor out of the list`];
    return copies
      .filter(({ version }) => isBelow(version, floor))
      .map(({ version }) => `${name} ${version} is below ${floor} (${advisory}): update it`);
  });
}
