// How the issuer is asked: without cookies, with a deadline, and for no more than a limit of bytes. Its own reason, where it gives one,
// is what the person reads.
import * as z from "zod";
import { fill } from "../words/fill.ts";
import { signInWords as words } from "../words/sign-in.ts";
import { SignInProblem } from "./problem.ts";

export const issuerTimeoutMs = 10_000;
/** Inclusive. */
export const maxAnswerBytes = 256 * 1024;
const maxReasonChars = 300;

/** As RFC 6749 has it. */
const refusal = z.object({ error: z.string(), error_description: z.string().optional() });

export interface Asking {
  fetch: typeof fetch;
  /** For what is said. */
  issuer: string;
  /** Of this page. */
  origin: string;
  /** What is asked for, in words. */
  what: string;
}

/** The issuer's reason on one line, as long as somebody reads. */
export const renderReason = (error: string, description: string | undefined): string =>
  (description === undefined || description === "" ? error : description)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .slice(0, maxReasonChars);

/** The JSON that it answers with. Throws a SignInProblem. */
export async function askIssuer(url: string, init: RequestInit, asking: Asking): Promise<unknown> {
  const { issuer, origin, what } = asking;
  const signal = AbortSignal.timeout(issuerTimeoutMs);
  let answer: { status: number; text: string | undefined };
  try {
    const response = await asking.fetch(url, {
      ...init,
      signal,
      credentials: "omit",
      redirect: "error",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    answer = { status: response.status, text: await readText(response) };
  } catch (cause) {
    const isLate = signal.aborted;
    const seconds = issuerTimeoutMs / 1_000;
    throw new SignInProblem(
      isLate ? fill(words.timeout, { issuer, seconds }) : fill(words.unreachable, { issuer, what, origin }),
      {
        cause,
      },
    );
  }
  const value = parse(answer.text);
  if (answer.status >= 200 && answer.status < 300) {
    if (value !== undefined) return value;
    throw new SignInProblem(fill(words.strange, { issuer, what }));
  }
  const { data } = refusal.safeParse(value);
  const reason = data && renderReason(data.error, data.error_description);
  throw new SignInProblem(
    reason === undefined
      ? fill(words.status, { issuer, what, status: String(answer.status) })
      : fill(words.refused, { issuer, reason }),
  );
}

/** Undefined where it is longer than the limit. */
async function readText({ body }: Response): Promise<string | undefined> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let receivedBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    receivedBytes += value.byteLength;
    if (receivedBytes > maxAnswerBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

function parse(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
