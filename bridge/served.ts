// What a bridge serves at /mcp, whatever it is made of, and what is known of it.
import type { BridgeHealth } from "../crds/bridge-config.ts";
import type { Leg } from "../lib/mcp/serve-2025.ts";
import type { StreamLeg } from "../lib/mcp/serve-2026.ts";

export interface Served {
  readonly leg2025: Leg;
  /** Rejects with a JsonRpcError where the server cannot be had. */
  load2026(): Promise<StreamLeg>;
  /** Why nobody should be sent here yet. */
  observeUnready(): string | undefined;
  health(): BridgeHealth;
  close(): Promise<void>;
}
