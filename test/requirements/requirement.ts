// What one line of the contract is here: what it promises, and what shows that it is kept. The rules that a list of them must
// hold are pure, so that they can be tried on lists that break them.

export interface Requirement {
  /** One sentence of our own. */
  promise: string;
  /** Test files from the root, the most telling first, each with the id in its text; "open" where nothing shows it yet. */
  shown: readonly [string, ...string[]] | "open";
  /** What the tests do not show yet. */
  missing?: string;
}

export type Requirements = Readonly<Record<string, Requirement>>;

/** The contract's groups of ids, each with its last number. */
const lastNumbers = {
  CAT: 11,
  AGT: 15,
  PRG: 5,
  HLT: 6,
  CFG: 8,
  BRR: 4,
  MET: 6,
  OPR: 11,
  LOG: 3,
  CLI: 5,
  SEC: 8,
  DSC: 12,
  DIR: 5,
  MGM: 7,
  UI: 2,
} as const;

/** Every id of the contract, in its order. */
export const contractIds: readonly string[] = Object.entries(lastNumbers).flatMap(([group, last]) =>
  Array.from({ length: last }, (_, index) => `${group}-${index + 1}`),
);

const idPattern = new RegExp(`\\b(?:${Object.keys(lastNumbers).join("|")})-\\d+\\b`, "g");

/** The ids that stand in a test file, in titles or elsewhere. */
const findIds = (text: string): Set<string> => new Set(text.match(idPattern));

/** One sentence for each problem of the list. `testFiles`: path from the root → text. */
export function findRequirementProblems(requirements: Requirements, testFiles: ReadonlyMap<string, string>): string[] {
  const idsByFile = new Map([...testFiles].map(([path, text]) => [path, findIds(text)]));
  return [
    ...findWrongIds(requirements, idsByFile),
    ...Object.entries(requirements).flatMap(([id, requirement]) => findProblems(id, requirement, idsByFile)),
  ];
}

type IdsByFile = ReadonlyMap<string, ReadonlySet<string>>;

function findWrongIds(requirements: Requirements, idsByFile: IdsByFile): string[] {
  const known = new Set(contractIds);
  const listed = Object.keys(requirements);
  const used = [...idsByFile].flatMap(([path, ids]) => [...ids].map((id) => ({ path, id })));
  return [
    ...contractIds.filter((id) => !listed.includes(id)).map((id) => `${id} is not listed`),
    ...listed.filter((id) => !known.has(id)).map((id) => `${id} is listed and not in the contract`),
    ...used
      .filter(({ id }) => !known.has(id))
      .map(({ path, id }) => `${path} names ${id}, which is not in the contract`),
  ];
}

function findProblems(id: string, { promise, shown, missing }: Requirement, idsByFile: IdsByFile): string[] {
  const wording = /^\S.{8,148}\.$/.test(promise) ? [] : [`${id}: its promise is not one short sentence`];
  if (shown === "open") {
    const claiming = [...idsByFile]
      .filter(([, ids]) => ids.has(id))
      .map(([path]) => `${id} is open, but ${path} names it`);
    const both = missing === undefined ? [] : [`${id} is open as a whole: nothing else can be missing`];
    return [...wording, ...both, ...claiming];
  }
  const citations = shown.flatMap((path) => {
    const ids = idsByFile.get(path);
    if (ids === undefined) return [`${id} cites ${path}, which is no test file`];
    return ids.has(id) ? [] : [`${id} cites ${path}, which does not name it`];
  });
  return [...wording, ...citations];
}
