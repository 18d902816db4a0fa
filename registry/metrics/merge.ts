// Many expositions into one: each family once, with one HELP and one TYPE, its series together (MET-1). The registry's
// own families stand as they are; between pods none decides for another, whoever comes first.
import { sampleNames } from "./exposition.ts";
import type { FamilyText } from "./pod-series.ts";

const chunkChars = 256 * 1024;

export interface Merged {
  /** Text 0.0.4 in pieces of moderate size, made as they are taken. */
  chunks: Iterable<string>;
  /** Families of pods whose names others use in another way: served without a type, or left out for one of the registry's. */
  conflicts: number;
}

/** A family as one or more use it in the same way. */
interface Use {
  readonly first: FamilyText;
  readonly texts: string[];
  readonly isOwn: boolean;
  /** Another use has samples of the same names, so that no type is true of them all. */
  isContested: boolean;
}

/**
 * Where pods disagree about a family's type, or a family's samples have the names of another's, the series of all of them
 * stay, without a type: else one pod could take away what the others say. A pod's family that contradicts the registry's
 * own is left out.
 */
export function mergeFamilies(own: readonly FamilyText[], pods: Iterable<readonly FamilyText[]>): Merged {
  const uses = new Map<string, Use[]>();
  const owners = new Map<string, Use>();
  let leftOut = 0;
  const add = (family: FamilyText, isOwn: boolean) => {
    const ofName = uses.get(family.name) ?? [];
    const same = ofName.find(({ first }) => first.type === family.type);
    if (same !== undefined) {
      same.texts.push(family.text);
      return;
    }
    const names = sampleNames(family.name, family.type);
    const rivals = names.flatMap((name) => owners.get(name) ?? []);
    if (rivals.some((rival) => rival.isOwn)) {
      leftOut += 1;
      return;
    }
    for (const rival of rivals) rival.isContested = true;
    const use = { first: family, texts: [family.text], isOwn, isContested: rivals.length > 0 };
    for (const name of names) if (!owners.has(name)) owners.set(name, use);
    uses.set(family.name, [...ofName, use]);
  };
  for (const family of own) add(family, true);
  for (const pod of pods) for (const family of pod) add(family, false);
  const all = [...uses.values()].flat();
  const contested = all.filter(({ isContested }) => isContested);
  const agreed = all.filter(({ isContested }) => !isContested);
  return { chunks: renderChunks(agreed, contested), conflicts: contested.length + leftOut };
}

function* renderChunks(agreed: readonly Use[], contested: readonly Use[]): Generator<string> {
  let chunk = "";
  for (const text of renderTexts(agreed, contested)) {
    chunk += text;
    if (chunk.length < chunkChars) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

function* renderTexts(agreed: readonly Use[], contested: readonly Use[]): Generator<string> {
  for (const { first, texts } of agreed) {
    yield renderHeader(first);
    yield* texts;
  }
  for (const [name, texts] of groupBySample(contested)) {
    yield `# TYPE ${name} untyped\n`;
    yield* texts;
  }
}

/** A family without a type has samples of one name only. */
function groupBySample(contested: readonly Use[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { texts } of contested) {
    for (const line of texts.flatMap((text) => text.split(/(?<=\n)/))) {
      const name = line.slice(0, line.indexOf("{"));
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [line]);
      else group.push(line);
    }
  }
  return groups;
}

const renderHeader = ({ name, help, type }: FamilyText): string =>
  `${help === undefined ? "" : `# HELP ${name} ${help}\n`}# TYPE ${name} ${type}\n`;
