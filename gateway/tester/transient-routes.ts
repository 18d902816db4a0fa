// Opening and ending transient servers.
import { requireRole } from "../../lib/auth/roles.ts";
import { TesterProblem } from "./problem.ts";
import { reads, takes, type Asked, type Route } from "./route.ts";
import { transientBody, type Transients } from "./transients.ts";

export interface AskedOfTransients extends Asked {
  transients: Transients;
}

export const transientRoutes: readonly Route<AskedOfTransients>[] = [
  takes(
    {
      method: "POST",
      path: "/api/transient",
      role: "caller",
      summary: "Connects to a server by its URL, or runs a package for a while (role operator)",
      status: 201,
    },
    transientBody,
    ({ caller, transients, signal }, body) => {
      const refusal = body.command === undefined ? undefined : requireRole(caller, "operator");
      if (refusal !== undefined) throw new TesterProblem(403, refusal.message);
      return transients.open(caller, body, signal);
    },
  ),
  reads(
    { method: "DELETE", path: "/api/transient/:handle", role: "caller", summary: "Ends it; also when it is not there" },
    async ({ caller, transients, path }) => {
      await transients.end(caller.subject, path("handle"));
      return { ok: true };
    },
  ),
];
