// Where an agent's pod answers for itself.
import type { AgentEndpoint } from "../../crds/local-state.ts";

export const adminUrlOf = ({ adminUrl }: AgentEndpoint, path: "health" | "metrics"): string =>
  new URL(path, adminUrl.endsWith("/") ? adminUrl : `${adminUrl}/`).href;
