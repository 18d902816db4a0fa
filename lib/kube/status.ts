// Writing an object's status through its subresource, once per reconcile and only when it differs. The caller must be
// the only writer of that status: fields which it leaves out are removed.
import { defined } from "../process/defined.ts";
import { isNotFound } from "./api-error.ts";
import { applyObject } from "./apply.ts";
import { renderCanonical } from "./canonical.ts";
import type { WriteTracker } from "./consistency.ts";
import type { KubeObject, LiveObject } from "./object.ts";
import { apiVersionOf, type ResourceType } from "./resource.ts";
import type { Transport } from "./transport.ts";

export interface WriteStatusRequest {
  readonly type: ResourceType;
  /** As it is in the cache; its `status` is what is compared. */
  readonly live: LiveObject & { readonly status?: unknown };
  /** The whole status wanted. */
  readonly status: object;
  readonly fieldManager: string;
  /** Told of the write (I7). */
  readonly tracker?: WriteTracker;
  /** Runs right before the write, and none is made when it throws; as `ApplyRequest.beforeWrite`. */
  readonly beforeWrite?: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** "gone" when the object was deleted meanwhile, which needs no status any more. */
export async function writeStatus(
  transport: Transport,
  request: WriteStatusRequest,
): Promise<"written" | "unchanged" | "gone"> {
  const { type, live, status, fieldManager, tracker, signal } = request;
  if (renderCanonical(live.status ?? {}) === renderCanonical(status)) return "unchanged";
  await request.beforeWrite?.();
  const { name, namespace, uid } = live.metadata;
  const metadata = { name, uid, ...defined({ namespace }) };
  const object: KubeObject & { status: object } = { apiVersion: apiVersionOf(type), kind: type.kind, metadata, status };
  try {
    const options = { fieldManager, force: true, signal, subresource: "status" } as const;
    const written = await applyObject(transport, type, object, options);
    tracker?.wrote(type, written);
    return "written";
  } catch (error) {
    if (isNotFound(error)) return "gone";
    throw error;
  }
}
