// Finds the tool that a query asks for, among those that its caller reaches (DSC-2, DSC-3), and says how it is called from there.
import { toContentWords, toTerm } from "../../lib/search/tokens.ts";
import type { Confidence } from "../../lib/search/confidence.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import type { Clock } from "../../lib/process/clock.ts";
import type { CallTool } from "./call-tool.ts";
import type { ToolSearch } from "./embeddings/embedded-index.ts";
import { howToAsk, howToStart } from "./call-tool.ts";
import { maxOthers, renderFound, renderNotFound, type FoundTool } from "./found.ts";
import type { KnownTools, Source } from "./known-tools.ts";
import type { Reach } from "./reach.ts";
import type { ToolRef } from "./tool-name.ts";

export interface Finding {
  /** As find_tool answers it. */
  readonly answer: Record<string, unknown>;
  /** The best one, where it can be called now by its own name. */
  readonly callable: ToolRef | undefined;
}

export interface Asked {
  query: string;
  identity: Identity;
  /** The best one and others together. */
  limit?: number | undefined;
}

export interface FinderParts {
  index: Pick<ToolSearch, "search">;
  known: Pick<KnownTools, "names" | "get">;
  reach: Reach;
  canStart: CallTool["canStart"];
  /** Hears how sure each answer was, and how long it took. */
  onFound: (confidence: Confidence, durationMs: number) => void;
  clock: Clock;
}

export type Find = (asked: Asked) => Promise<Finding>;

export function createFinder({ index, known, reach, canStart, onFound, clock }: FinderParts): Find {
  return async ({ query, identity, limit = maxOthers + 1 }) => {
    const startedAt = clock.now();
    const reached = reach.of(identity);
    const { accept } = reached;
    const options = { limit: Math.min(limit, maxOthers + 1), accept };
    const { matches, confidence, score, degraded } = await index.search(query, options);
    const marks = degraded ? { degraded } : {};
    const found = matches.flatMap((match): FoundTool[] => {
      // What the index holds may be a moment older than what is known.
      const tool = reached.find(match);
      if (tool === undefined) return [];
      const agent = tool.source.kind === "reported" ? reached.agentsToAsk(tool)[0] : undefined;
      return [{ known: tool, score: match.score, agent }];
    });
    const [best, ...others] = found;
    const isFound = best !== undefined && confidence !== "none";
    onFound(isFound ? confidence : "none", clock.now() - startedAt);
    if (!isFound) {
      const stopped = findStopped(query, known, (source) => accept(source.name, ""));
      return { answer: { ...renderNotFound(score, stopped, found), ...marks }, callable: undefined };
    }
    const nextStep = renderNextStep(best, (source) => source.entry !== undefined && canStart(identity, source.entry));
    const { source, tool } = best.known;
    const callable =
      source.kind === "server" || source.kind === "agent" ? { server: source.name, tool: tool.name } : undefined;
    const isActive = source.entry?.isActive !== false;
    const answer = { ...renderFound(best, others, { confidence, nextStep }), ...marks };
    return { answer, callable: isActive ? callable : undefined };
  };
}

const invoke = "invoke call_as directly";
const orProxy = "or call registry with action proxy_call, call_as and arguments";

function renderNextStep({ known: { source, tool }, agent }: FoundTool, canStart: (source: Source) => boolean): string {
  if (agent !== undefined) return `${invoke}, ${orProxy}: ${howToAsk(tool.name, agent)}`;
  const { entry, unreachableSince } = source;
  if (entry?.isActive === false) {
    if (!canStart(source)) return `${howToStart(entry)}; then ${invoke}, ${orProxy}`;
    const toKnow =
      source.kind === "outline" ? "; its arguments are known once it is started, by the action activate" : "";
    return `${invoke}, ${orProxy}: the call starts its server, which is stopped${toKnow}`;
  }
  const isDown = unreachableSince === undefined ? "" : ": its server did not answer when it was last asked";
  return `${invoke}, ${orProxy}${isDown}`;
}

const maxStopped = 3;
const maxWords = 32;

/** Servers whose tools nobody knows before they are started, and whose own words are asked for. */
function findStopped(
  query: string,
  known: Pick<KnownTools, "names" | "get">,
  isFor: (source: Source) => boolean,
): string[] {
  const wanted = new Set(toContentWords(query).slice(0, maxWords).map(toTerm));
  return known
    .names()
    .flatMap((name): { name: string; count: number }[] => {
      const source = known.get(name);
      if (source?.kind !== "outline" || source.tools.length > 0 || source.entry?.isActive !== false) return [];
      if (!isFor(source)) return [];
      const words = toContentWords([name, source.description ?? "", ...source.tags].join(" ")).map(toTerm);
      const count = new Set(words.filter((word) => wanted.has(word))).size;
      return count === 0 ? [] : [{ name, count }];
    })
    .toSorted((a, b) => b.count - a.count)
    .slice(0, maxStopped)
    .map(({ name }) => name);
}
