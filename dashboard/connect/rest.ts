// REST of the gateway for what is no resource: details that are asked for once, actions, and the tester. JSON in, JSON out, a deadline
// each, at most so many bytes; what the gateway refuses becomes a Problem with its sentence.
import type * as z from "zod";
import { connectWords as words } from "../words/connect.ts";
import type { GatewayFetch } from "./fetch.ts";
import { kindOfStatus, Problem, readRefusal, toProblem } from "./problem.ts";

const timeoutMs = 60_000;
/** A server with 5,000 tools has 5 MB of schemas. */
const maxAnswerBytes = 32 * 1024 * 1024;

export interface RestRequest<T> {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the origin, such as `/api/servers`. */
  path: string;
  body?: unknown;
  schema: z.ZodType<T>;
  signal?: AbortSignal;
  timeoutMs?: number;
}

export type Rest = <T>(request: RestRequest<T>) => Promise<T>;

/** Its calls reject with a Problem. */
export const createRest = (fetch: GatewayFetch): Rest =>
  async function rest({ method = "GET", path, body, schema, signal, timeoutMs: limitMs = timeoutMs }) {
    const deadline = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal === undefined ? [] : [signal])]);
    try {
      const response = await fetch(path, {
        method,
        signal: deadline,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
      });
      const answer = await readJson(response);
      if (!response.ok) {
        const refusal = readRefusal(answer);
        const kind = kindOfStatus(response.status, refusal !== undefined);
        throw new Problem(kind, refusal ?? words.answered(response.status), { data: answer });
      }
      const parsed = schema.safeParse(answer);
      if (!parsed.success) throw new Problem("refused", words.strange, { cause: parsed.error });
      return parsed.data;
    } catch (error) {
      throw toProblem(error, deadline);
    }
  };

async function readJson(response: Response): Promise<unknown> {
  const length = Number(response.headers.get("content-length") ?? 0);
  if (length > maxAnswerBytes) throw new Problem("refused", words.strange);
  const text = await response.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (response.ok) throw new Problem("refused", words.strange, { cause: error });
    return undefined;
  }
}
