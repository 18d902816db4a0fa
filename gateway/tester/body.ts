// Reads the body of a request to the tester in the shape that its route expects; an absent one is an empty object.
import type * as z from "zod";
import { readObject } from "../rest/answers.ts";
import { TesterProblem } from "./problem.ts";

const maxNamedFaults = 10;

/** Throws RestError: 400 what is no JSON object, 413, 415, and 422 naming each field that is wrong or missing. */
export async function readBody<Body>(request: Request, schema: z.ZodType<Body>): Promise<Body> {
  const { headers } = request;
  const isEmpty = !headers.has("transfer-encoding") && Number(headers.get("content-length") ?? 0) === 0;
  const isJson = /^application\/json\s*(;|$)/i.test(headers.get("content-type") ?? "");
  if (!isEmpty && !isJson) {
    throw new TesterProblem(415, "the body must be JSON, with Content-Type application/json");
  }
  const read = schema.safeParse(isEmpty ? {} : await readObject(request));
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `${path.join(".") || "the body"}: ${message}`);
  throw new TesterProblem(422, faults.slice(0, maxNamedFaults).join("; "));
}
