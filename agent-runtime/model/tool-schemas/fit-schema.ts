// One tool's schema as a kind of provider takes it (AGT-15). Any JSON in, and out comes what the vendor's rules allow: one tool that
// breaks them would have every call of the agent refused. Loses precision rather than a tool, since its server checks the
// arguments anyway. Pure, linear, never throws.
import type { RunProvider } from "../../../crds/run-config.ts";
import { foldObject } from "./fold.ts";
import { renderForGoogle } from "./google.ts";
import { renameKeys, type KeyRules, type OriginalKeys } from "./keys.ts";
import { narrow } from "./narrow.ts";
import type { Schema } from "./schema.ts";
import { tidySchema, type TidyOptions } from "./tidy.ts";

export interface FittedSchema {
  schema: Record<string, unknown>;
  /** Names of properties that were replaced: the model's arguments go back through `restoreKeys`. */
  originalKeys: OriginalKeys;
}

interface Dialect extends TidyOptions {
  keys: KeyRules;
  render: (root: Schema) => Schema;
}

/** Anthropic's, and since others may pass a request on to it, everybody's. */
const rootKeys = /^[a-zA-Z0-9_.-]{1,64}$/;
const googleKeys = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;
const asItIs = (root: Schema) => root;

/** Full JSON Schema below the root. */
const full: Dialect = { keepsReferences: true, maxDepth: 24, keys: { root: rootKeys }, render: asItIs };
const dialects: Record<RunProvider["kind"], Dialect> = {
  openai: full,
  anthropic: full,
  // Nova reads no references.
  bedrock: { ...full, keepsReferences: false },
  "openai-compatible": { ...full, keepsReferences: false, render: narrow },
  huggingface: { ...full, keepsReferences: false, render: narrow },
  google: {
    keepsReferences: false,
    maxDepth: 8,
    keys: { root: googleKeys, nested: googleKeys },
    render: renderForGoogle,
  },
  passthrough: full,
  playback: full,
  slow: full,
};

export function fitToolSchema(kind: RunProvider["kind"], raw: unknown): FittedSchema {
  const dialect = dialects[kind];
  const tidy = tidySchema(raw, dialect);
  const { $defs } = tidy;
  const root = foldObject(tidy, $defs);
  const rendered = dialect.render($defs === undefined ? root : { ...root, $defs });
  return renameKeys(rendered, dialect.keys);
}
