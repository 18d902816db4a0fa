// Whether a model reads PDFs: as it is declared, else by the kind of its provider, whose API takes them for nearly all its models.
import type { RunProvider } from "../../crds/run-config.ts";

export const pdfType = "application/pdf";

const kinds: ReadonlySet<RunProvider["kind"]> = new Set(["anthropic", "openai", "google", "bedrock"]);

interface Model {
  provider: string;
  capabilities: { pdf?: boolean };
}

export function readsPdf({ provider, capabilities }: Model, providers: readonly RunProvider[]): boolean {
  const kind = providers.find(({ name }) => name === provider)?.kind;
  return capabilities.pdf ?? (kind !== undefined && kinds.has(kind));
}
