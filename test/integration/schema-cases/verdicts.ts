// The same question to both: what the API server says of a manifest, and what `pallas check` says, in one form.
import { readFile } from "node:fs/promises";
import { Pool } from "undici";
import * as z from "zod";
import type { ResourceDefinition } from "../../../crds/definition.ts";
import { kinds } from "../../../crds/kinds.ts";
import { group, version } from "../../../crds/names.ts";
import { formatProblem } from "../../../plan/validation-error.ts";
import { parseResource } from "../../../plan/parse.ts";
import type { ApiAccess } from "../../cluster/api-call.ts";

export interface Verdict {
  accepted: boolean;
  /** Sorted and without repetition; empty when accepted. */
  fields: string[];
  /** Only misspelt keys were looked for: strict decoding ends before validation. */
  decodingOnly: boolean;
  said: string;
}

const verdictOf = (fields: Iterable<string>, decodingOnly: boolean, said: string): Verdict => ({
  accepted: false,
  fields: [...new Set(fields)].toSorted(),
  decodingOnly,
  said,
});
const acceptance: Verdict = { accepted: true, fields: [], decodingOnly: false, said: "" };

/** What `pallas check` says; `decodingOnly` leaves misspelt keys only, all that a strict decoder looks for. */
export function checkVerdict({ kind }: ResourceDefinition, manifest: unknown, decodingOnly = false): Verdict {
  const found = Object.values(kinds).find(({ type }) => type.kind === kind);
  if (!found) throw new Error(`expected one of our kinds, found ${kind}`);
  const outcome = parseResource<unknown>(found, manifest);
  if (outcome.ok) return acceptance;
  const problems = decodingOnly ? outcome.problems.filter(({ reason }) => reason === "UnknownField") : outcome.problems;
  return verdictOf(
    problems.map(({ path }) => path),
    decodingOnly,
    outcome.problems.map(formatProblem).join("; "),
  );
}

const statusSchema = z.object({
  message: z.string().default(""),
  details: z
    .object({ causes: z.array(z.object({ field: z.string().default(""), message: z.string() })).default([]) })
    .default({ causes: [] }),
});

/**
 * Said without a field beside a problem that is named already: that rules were not tried because of it, and that an
 * integer, or an integer or text, is none.
 */
const repetitions = [
  "some validation rules were not checked",
  "Checked value must be of type",
  "must validate at least one schema (anyOf)",
];

/** A decoder of Go types names their fields: `Go struct field ObjectMeta.labels of type string`. */
const goField = /Go struct field ObjectMeta\.(\w+)/;

/** The words of the API server as a verdict. Rules over metadata.name stand at the root, where no field is named. */
function readAnswer(status: number, body: string): Verdict {
  if (status === 200 || status === 201) return acceptance;
  if (status !== 400 && status !== 422) throw new Error(`expected a verdict, found ${status}: ${body.slice(0, 500)}`);
  const { message, details } = statusSchema.parse(JSON.parse(body));
  if (status === 400) {
    const unknown = [...message.matchAll(/unknown field "([^"]*)"/g)].map(([, field = ""]) => field);
    const [, metadataField] = goField.exec(message) ?? [];
    const fields = metadataField === undefined ? unknown : [`metadata.${metadataField}`];
    return verdictOf(fields, unknown.length > 0, message);
  }
  const named = details.causes
    // The scale subresource says again, as ".spec.replicas", what the schema says of spec.replicas.
    .filter(({ field, message }) => !field.startsWith(".") && !repetitions.some((words) => message.includes(words)))
    .map(({ field, message }) => (field === "<nil>" && message.includes("metadata.name") ? "metadata.name" : field));
  return verdictOf(named, false, message);
}

export interface Judge {
  /** A creation, by default as a dry run. */
  create: (manifest: unknown, options?: { dryRun: boolean }) => Promise<{ verdict: Verdict; body: string }>;
  /** A dry run of an update; of the status where a subresource is named. */
  update: (name: string, manifest: unknown, subresource?: "status") => Promise<{ verdict: Verdict; body: string }>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

const connections = 8;
const deadlineMs = 20_000;

/** Asks the API server about manifests of one kind, strictly, on connections that are kept. */
export async function createJudge(
  access: ApiAccess,
  { plural }: ResourceDefinition,
  namespace: string,
): Promise<Judge> {
  const pool = new Pool(access.url, {
    connections,
    allowH2: false,
    connect: { ca: await readFile(access.caPath, "utf8") },
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
  });
  const resources = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  const ask = async (method: "POST" | "PUT", path: string, manifest: unknown, dryRun: boolean) => {
    const response = await pool.request({
      method,
      path: `${path}?fieldValidation=Strict${dryRun ? "&dryRun=All" : ""}`,
      headers: { "content-type": "application/json", authorization: `Bearer ${access.token}` },
      body: JSON.stringify(manifest),
    });
    const body = await response.body.text();
    return { verdict: readAnswer(response.statusCode, body), body };
  };
  return {
    create: (manifest, { dryRun } = { dryRun: true }) => ask("POST", resources, manifest, dryRun),
    update: (name, manifest, subresource) =>
      ask("PUT", `${resources}/${name}${subresource === undefined ? "" : `/${subresource}`}`, manifest, true),
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
