// The series of an outside endpoint of embeddings; all 0 where a gateway has none.
import { Counter, Gauge, type Registry } from "prom-client";

const purposes = ["index", "query"] as const;
/** late: a caller went on without; an answer that comes later is not counted again. */
const outcomes = ["ok", "late", "error"] as const;

export interface EmbeddingsMetrics {
  countEmbeddingsRequest(purpose: (typeof purposes)[number], outcome: (typeof outcomes)[number]): void;
  /** Tools by whether they have a vector, and whether the endpoint is in trouble. */
  setEmbeddings(state: { embedded: number; missing: number; isFailing: boolean }): void;
}

export function createEmbeddingsMetrics(registers: Registry[]): EmbeddingsMetrics {
  const requests = new Counter({
    name: "pallas_gateway_embeddings_requests_total",
    help: "Requests to the endpoint of embeddings, by what they were for and how they ended.",
    labelNames: ["purpose", "outcome"],
    registers,
  });
  const tools = new Gauge({
    name: "pallas_gateway_embeddings_tools",
    help: "Tools of different texts, by whether the endpoint gave a vector of them.",
    labelNames: ["state"],
    registers,
  });
  const failing = new Gauge({
    name: "pallas_gateway_embeddings_failing",
    help: "1 while tools are searched without the endpoint because it fails.",
    registers,
  });
  for (const purpose of purposes) for (const outcome of outcomes) requests.inc({ purpose, outcome }, 0);
  const setEmbeddings: EmbeddingsMetrics["setEmbeddings"] = ({ embedded, missing, isFailing }) => {
    tools.set({ state: "embedded" }, embedded);
    tools.set({ state: "missing" }, missing);
    failing.set(isFailing ? 1 : 0);
  };
  setEmbeddings({ embedded: 0, missing: 0, isFailing: false });
  return { countEmbeddingsRequest: (purpose, outcome) => requests.inc({ purpose, outcome }), setEmbeddings };
}
