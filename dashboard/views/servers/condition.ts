// Which conditions of a server are not as they should be, and how each reason is cured. Pure.
import type { ServerCondition } from "../../data/servers.ts";
import { serverWords as words } from "../../words/servers.ts";

/** Of these it is good to be false. */
const badWhenTrue = ["Reconciling", "Stalled"];

export const isWrong = ({ type, status }: Pick<ServerCondition, "type" | "status">): boolean =>
  badWhenTrue.includes(type) ? status === "True" : status !== "True";

const cures: Readonly<Record<string, string>> = words.cure;
export const cureOf = (reason: string): string | undefined =>
  Object.hasOwn(cures, reason) ? cures[reason] : undefined;
