// What a server is made of, in a few words; and why the page offers no writing of it. Pure.
import type { ShownServer } from "../../data/servers.ts";
import type { Caller } from "../../session/caller.ts";
import { serverWords as words } from "../../words/servers.ts";

const isKnown = (kind: string): kind is keyof typeof words.kinds => Object.hasOwn(words.kinds, kind);

/** "npm 2026.8.31", "container", "remote". A kind that this page does not know is said as it is. */
export function tellKind({ kind, version }: Pick<ShownServer, "kind" | "version">): string {
  const word = isKnown(kind) ? words.kinds[kind] : kind;
  return version === null ? word : `${word} ${version}`;
}

/** Whether a process of it is started here, which writes to standard error. */
export const writesHere = ({ kind }: Pick<ShownServer, "kind">): boolean => kind !== "remote" && kind !== "instance";

/** A sentence where nobody can change the server from here, whatever their role. */
export function whyReadOnly(
  { kind }: Pick<ShownServer, "kind">,
  { isLocal, management }: { isLocal: boolean; management: Caller["management"] | undefined },
): string | undefined {
  if (kind === "instance") return words.readOnly.instance;
  if (isLocal) return words.readOnly.local;
  return management === "approve" ? words.readOnly.approve : undefined;
}
