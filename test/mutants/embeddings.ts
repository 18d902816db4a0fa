// Mistakes in the endpoint of embeddings: what it is asked for and how often, what counts of its answers, what is said of it.
import type { Mutant } from "./mutant.ts";

const folder = "gateway/discovery/embeddings";

const vectors: readonly Mutant[] = [
  {
    file: `${folder}/vector-store.ts`,
    find: "Math.min(retryAfterMs, this.#limits.maxRetryAfterMs)",
    replace: "retryAfterMs",
    breaks: "an endpoint that asks for a year's patience is never asked again",
  },
  {
    file: `${folder}/vector-store.ts`,
    find: "    if (this.#turns.get(server) !== turn) return;\n",
    replace: "",
    breaks: "tools that are gone take the place of those of now",
  },
  {
    file: `${folder}/vector-store.ts`,
    find: "if (this.#asked.has(key)) continue;",
    replace: "",
    breaks: "each text is paid for twice",
  },
  {
    file: `${folder}/vector-store.ts`,
    find: "if (bytes <= maxBytes) return undefined;",
    replace: "if (bytes < maxBytes) return undefined;",
    breaks: "the last tools that fit have no vectors",
  },
  {
    file: `${folder}/vector-store.ts`,
    find: "        this.#fittingSize = Math.min(this.#fittingSize, fittingSize);\n",
    replace: "",
    breaks: "each batch is refused again before it is halved",
  },
  {
    file: `${folder}/vector-store.ts`,
    find: "    this.#cache.clear();\n",
    replace: "",
    breaks: "vectors of another model are compared with those of this one",
  },
  {
    file: `${folder}/wanted-texts.ts`,
    find: "      if (stillMissing.has(key)) continue;\n",
    replace: "",
    breaks: "what a server still lists is never asked for after it changed its list",
  },
  {
    file: `${folder}/batch.ts`,
    find: "maxRefused - left.refused",
    replace: "maxRefused",
    breaks: "more texts may be refused than the limit says",
  },
];

const queries: readonly Mutant[] = [
  {
    file: `${folder}/query-vectors.ts`,
    find: "if (isTried && (this.#requests > 0 || this.#waiting.length > 0)) return false;",
    replace: "",
    breaks: "all callers wait for an endpoint that is being tried",
  },
  {
    file: `${folder}/query-vectors.ts`,
    find: 'if (error instanceof EmbeddingsError && error.kind === "refused") return;',
    replace: "",
    breaks: "one caller's bad queries take the endpoint from everybody",
  },
  {
    file: `${folder}/query-vectors.ts`,
    find: "if (kept?.length === width) {",
    replace: "if (kept !== undefined) {",
    breaks: "an answer says that the endpoint had a part in it, which it had not",
  },
  {
    file: `${folder}/embedded-index.ts`,
    find: "const hasAll = () => index.hasAllVectors && this.#store.isComplete && this.#store.width === width;",
    replace: "const hasAll = () => true;",
    breaks: "answers are not marked while tools have no vectors",
  },
];

const words: readonly Mutant[] = [
  {
    file: `${folder}/problem.ts`,
    find: 'status === 401 || status === 403 ? "" : quote',
    replace: "quote",
    breaks: "what an endpoint says of a key is shown, with parts of it",
  },
  {
    file: `${folder}/client.ts`,
    find: 'words.replaceAll(key, "[redacted]")',
    replace: "words",
    breaks: "a key stands in the log",
  },
  {
    file: `${folder}/client.ts`,
    find: "createBodyMeasure(true)",
    replace: "createBodyMeasure(false)",
    breaks: "an answer that is nested without end is parsed",
  },
  {
    file: `${folder}/parse-answer.ts`,
    find: "if (vectors[index] !== undefined)",
    replace: "if (vectors[index] === null)",
    breaks: "tools are ranked by the texts of others",
  },
  {
    file: `${folder}/state-log.ts`,
    find: "if (failedAt === undefined) {",
    replace: "if (problem !== undefined) {",
    breaks: "an endpoint that fails fills the log",
  },
];

export const embeddingsMutants: readonly Mutant[] = [...vectors, ...queries, ...words];
