// Startup, readiness and liveness: slow starts are waited for, a hung process is restarted, and readiness alone
// decides about traffic. A model that is down takes no pod out of service (api.md, Ready).
import type { V1Container } from "@kubernetes/client-node";

export function renderProbes(port: string): Pick<V1Container, "startupProbe" | "readinessProbe" | "livenessProbe"> {
  const get = (path: string) => ({ httpGet: { path, port, scheme: "HTTP" }, timeoutSeconds: 5 });
  return {
    startupProbe: { ...get("/livez"), periodSeconds: 1, failureThreshold: 60 },
    readinessProbe: { ...get("/readyz"), periodSeconds: 5, failureThreshold: 2 },
    livenessProbe: { ...get("/livez"), periodSeconds: 10, failureThreshold: 6 },
  };
}
