// What a gateway writes into the status of a PallasServer, beside what the operator writes there: its tools as they were listed
// and approved, under a field manager of its own, so that neither takes away the other's. It decides nothing.
import { serverType } from "../../crds/kinds.ts";
import { apiVersion } from "../../crds/names.ts";
import type { PallasServer, ServerStatus } from "../../crds/server.ts";
import { isNotFound } from "../../lib/kube/api-error.ts";
import { applyObject } from "../../lib/kube/apply.ts";
import type { KubeObject } from "../../lib/kube/object.ts";
import type { Transport } from "../../lib/kube/transport.ts";

/** Of the gateway's fields of a status alone. */
const toolsFieldManager = "pallas-gateway-tools";
const writeTimeoutMs = 15_000;

/** All that is the gateway's there: what is left out is taken away. */
export type ToolStatus = Pick<ServerStatus, "toolCount" | "toolsHash" | "listedAt" | "pinned" | "conditions">;

/** Rejects where the API server does not take it, or gives no answer; one that is gone needs no status any more. */
export type WriteToolStatus = (server: PallasServer, status: ToolStatus) => Promise<void>;

export function createServerStatusWrites(transport: Transport): WriteToolStatus {
  return async ({ kind, metadata }, status) => {
    const { name, namespace, uid } = metadata;
    if (namespace === undefined || uid === undefined) throw new Error(`expected "${name}" as the API server has it`);
    const object: KubeObject & { status: ToolStatus } = {
      apiVersion,
      kind,
      // Of that very server: one made anew under its name is listed anew.
      metadata: { name, namespace, uid },
      status,
    };
    try {
      await applyObject(transport, serverType, object, {
        fieldManager: toolsFieldManager,
        force: true,
        subresource: "status",
        signal: AbortSignal.timeout(writeTimeoutMs),
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
}
