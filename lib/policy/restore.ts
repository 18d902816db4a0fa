// Arguments that somebody edited who was shown them redacted: what they left as they saw it is given back its real value. Pure.
import { parsePointer } from "./pointer.ts";
import { redact, redacted } from "./redact.ts";

export interface Restored {
  readonly value: unknown;
  /** Whether `[redacted]` is left where nobody knows what belongs there: such arguments are nobody's meaning. */
  readonly isIncomplete: boolean;
}

/**
 * A copy of `edited` in which each `[redacted]` that stands where `real` was shown so has the value of `real`. In a list
 * of another length than the real one nothing is given back, since it is unknown which item is which.
 * @param pointers by which `real` was redacted, as a compiled policy has them
 */
export function restoreRedacted(edited: unknown, real: unknown, pointers: readonly string[]): Restored {
  const paths = pointers.flatMap((pointer) => {
    const segments = parsePointer(pointer);
    return typeof segments === "string" ? [] : [segments];
  });
  const state = { isIncomplete: false };
  const value = restoreAt({ edited, real, shown: redact(real, pointers), depth: 0 }, paths, state);
  return { value, ...state };
}

interface Place {
  readonly edited: unknown;
  readonly real: unknown;
  /** The real value as it was shown. */
  readonly shown: unknown;
  readonly depth: number;
}

/** @param paths those that lead here, each by its first `depth` segments */
function restoreAt(
  { edited, real, shown, depth }: Place,
  paths: readonly (readonly string[])[],
  state: { isIncomplete: boolean },
): unknown {
  if (paths.length === 0) return edited;
  if (edited === redacted) {
    if (shown === redacted) return real;
    state.isIncomplete = true;
    return edited;
  }
  if (typeof edited !== "object" || edited === null) return edited;
  const isList = Array.isArray(edited);
  const isSameKind = isList ? Array.isArray(shown) && shown.length === edited.length : !Array.isArray(shown);
  const restoreMember = ([name, member]: [string, unknown]): [string, unknown] => {
    const onwards = paths.filter((path) => path[depth] === "*" || path[depth] === name);
    const [realMember, shownMember] = isSameKind ? [memberOf(real, name), memberOf(shown, name)] : [];
    const place = { edited: member, real: realMember, shown: shownMember, depth: depth + 1 };
    return [name, restoreAt(place, onwards, state)];
  };
  const members = Object.entries(edited).map(restoreMember);
  return isList ? members.map(([, member]) => member) : Object.fromEntries(members);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}
