// Which of two versions is the higher, of npm's and of PyPI's: numbers by their size, a release above what comes before it. Pure, and
// linear in the texts.

const numbersOf = (release: string): bigint[] =>
  release.split(".").map((part) => (/^\d{1,20}$/.test(part) ? BigInt(part) : 0n));

interface Parts {
  readonly release: readonly bigint[];
  /** Empty for a release itself. */
  readonly before: readonly string[];
}

/** `1.2.0-rc.1+build` and `1.2.0rc1` alike. */
function partsOf(version: string): Parts {
  const [text = ""] = version.replace(/^v/, "").split("+", 1);
  const [release = ""] = /^[\d.]*/.exec(text) ?? [];
  const rest = text.slice(release.length).replace(/^[-.]/, "");
  return { release: numbersOf(release.replace(/\.$/, "")), before: rest === "" ? [] : rest.split(/[.-]/) };
}

const compare = <Value extends bigint | number | string>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);

function compareWords(a: string, b: string): number {
  const [first, second] = [/^\d{1,20}$/.test(a), /^\d{1,20}$/.test(b)];
  if (first && second) return compare(BigInt(a), BigInt(b));
  // A number comes before a word.
  return first === second ? compare(a, b) : first ? -1 : 1;
}

/** Whether it is a release, and nothing that comes before one. */
const isRelease = (version: string): boolean => {
  const { before } = partsOf(version);
  return before.length === 0 || /^post\d*$/.test(before[0] ?? "");
};

/** Below 0 where `a` is the lower one, 0 where neither is. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.max(first.release.length, second.release.length); at += 1) {
    const order = compare(first.release[at] ?? 0n, second.release[at] ?? 0n);
    if (order !== 0) return order;
  }
  if (isRelease(a) !== isRelease(b)) return isRelease(a) ? 1 : -1;
  for (let at = 0; at < Math.max(first.before.length, second.before.length); at += 1) {
    const [one, other] = [first.before[at], second.before[at]];
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    const order = compareWords(one, other);
    if (order !== 0) return order;
  }
  return 0;
}

/** The highest release; where there is none, the highest of all. Undefined of nothing. */
export function highestVersion(versions: readonly string[]): string | undefined {
  const releases = versions.filter(isRelease);
  return (releases.length > 0 ? releases : versions).reduce<string | undefined>(
    (best, each) => (best === undefined || compareVersions(each, best) > 0 ? each : best),
    undefined,
  );
}
