// What the gateway finds for a question, as the page shows it: the tool that fits best, the others that come near, or that nothing is close
// enough. The answer itself is kept, since people read what an agent would get.
import * as z from "zod";

const other = z.looseObject({
  call_as: z.string(),
  tool: z.string(),
  description: z.string().default(""),
  score: z.number(),
});

const best = z.looseObject({
  found: z.literal(true),
  confidence: z.enum(["high", "medium", "low"]),
  score: z.number(),
  call_as: z.string(),
  server: z.string(),
  tool: z.string(),
  description: z.string().default(""),
  required_args: z.array(z.looseObject({ name: z.string() })).default([]),
  optional_count: z.number().default(0),
  unreachable_since: z.string().optional(),
  degraded: z.boolean().optional(),
  other_matches: z.array(other).default([]),
});

const nothing = z.looseObject({
  found: z.literal(false),
  top_score: z.number(),
  hint: z.string().default(""),
  degraded: z.boolean().optional(),
  other_matches: z.array(other).default([]),
});

const resultSchema = z.discriminatedUnion("found", [best, nothing]);
const answerSchema = z.object({ results: z.array(z.unknown()) });

/** How sure; `other` where the gateway says a score alone. */
type HitConfidence = "high" | "medium" | "low" | "other";

export interface Hit {
  readonly callAs: string;
  /** Undefined where the name to call says nothing of it. */
  readonly server: string | undefined;
  readonly tool: string;
  readonly description: string;
  readonly score: number;
  readonly confidence: HitConfidence;
  /** Undefined where it was not told. */
  readonly needs: readonly string[] | undefined;
  readonly unreachableSince: string | undefined;
}

export interface Intent {
  readonly question: string;
  /** Undefined: nothing is close enough. */
  readonly best: Hit | undefined;
  readonly others: readonly Hit[];
  /** Of what came nearest. */
  readonly topScore: number;
  /** The gateway's word where nothing was found. */
  readonly hint: string;
  /** Meaning did not count. */
  readonly isDegraded: boolean;
  /** What an agent gets, word by word. */
  readonly raw: unknown;
}

/** Below it a score reads 0.00: models are given those too, and people would take them for found. */
const leastScore = 0.005;

/** Throws where it is no answer of `find_tools`. */
export function parseFound(structured: unknown, questions: readonly string[]): Intent[] {
  return answerSchema.parse(structured).results.map((raw, index) => {
    const answer = resultSchema.parse(raw);
    const others = answer.other_matches.filter(({ score }) => score >= leastScore).map(toOther);
    const shared = {
      question: questions[index] ?? "",
      others,
      isDegraded: answer.degraded === true,
      raw,
    };
    if (!answer.found) return { ...shared, best: undefined, topScore: answer.top_score, hint: answer.hint };
    const hit: Hit = {
      callAs: answer.call_as,
      ...{ server: answer.server, tool: answer.tool, description: answer.description },
      ...{ score: answer.score, confidence: answer.confidence },
      needs: answer.required_args.map(({ name }) => name),
      unreachableSince: answer.unreachable_since,
    };
    return { ...shared, best: hit, topScore: answer.score, hint: "" };
  });
}

const toOther = ({ call_as: callAs, tool, description, score }: z.output<typeof other>): Hit => ({
  callAs,
  server: serverOf(callAs, tool),
  ...{ tool, description, score },
  confidence: "other",
  needs: undefined,
  unreachableSince: undefined,
});

/** The server in `mcp__SERVER__TOOL`; undefined where it is another tool that is called, such as the message to an agent. */
export function serverOf(callAs: string, tool: string): string | undefined {
  const [start, end] = ["mcp__", `__${tool}`];
  if (!callAs.startsWith(start) || !callAs.endsWith(end)) return undefined;
  const server = callAs.slice(start.length, callAs.length - end.length);
  return server === "" ? undefined : server;
}

export const maxQuestions = 32;

/** A question a line. */
export const questionsOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(0, maxQuestions);
