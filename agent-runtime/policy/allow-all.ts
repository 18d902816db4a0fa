// The gate of an agent without a policy: every call is made, and nothing is hidden.
import type { PolicyGate } from "./gate.ts";

export const allowAll: PolicyGate = {
  judge: async ({ args }) => ({ go: true, args }),
  observeHider: async () => undefined,
};
