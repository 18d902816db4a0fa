// The Leases of an API server, in memory and without delay, so that elections can be played through on a manual clock.
// Knows just what an election needs: get, create, and replacing the version that was seen.
import { ApiError, TransportError } from "../api-error.ts";
import type { Call, Transport } from "../transport.ts";

interface StoredLease {
  metadata: Record<string, unknown> & { resourceVersion: string };
  spec: Record<string, unknown>;
}

/** One client's way to the server, and what can go wrong on it. */
export interface LeaseView extends Transport {
  readonly calls: Call[];
  /** cut: fails at once. silent: never answers. deaf: the server hears us, and its answers are lost. */
  state: "up" | "cut" | "silent" | "deaf";
  /** Runs before the next call is carried out. */
  before: (() => void) | undefined;
}

export class MemoryLeases {
  lease: StoredLease | undefined;
  #version = 0;

  /** Puts a lease there as another client would. */
  put(spec: Record<string, unknown>, metadata: Record<string, unknown> = {}): void {
    this.#version += 1;
    const resourceVersion = String(this.#version);
    this.lease = { metadata: { name: "l", namespace: "n", uid: "u", ...metadata, resourceVersion }, spec };
  }

  view(): LeaseView {
    const view: LeaseView = {
      calls: [],
      state: "up",
      before: undefined,
      request: async (call) => {
        view.calls.push(call);
        const { before } = view;
        view.before = undefined;
        before?.();
        if (view.state === "silent") return new Promise(() => undefined);
        if (view.state === "cut") throw new TransportError("cut", { cause: undefined });
        const answer = this.#answer(call);
        if (view.state === "deaf") throw new TransportError("answer lost", { cause: undefined });
        return answer;
      },
      watch: async () => {
        throw new Error("an election does not watch");
      },
      close: async () => undefined,
    };
    return view;
  }

  #answer({ method, body }: Call): unknown {
    const wanted = parseLease(body);
    if (method === "POST" ? this.lease !== undefined : this.lease === undefined) throw status(method);
    if (method === "PUT" && wanted.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) {
      throw status("POST");
    }
    if (method !== "GET") this.put(wanted.spec, wanted.metadata);
    return structuredClone(this.lease);
  }
}

function status(method: string): ApiError {
  const taken = method === "POST";
  return new ApiError({ status: taken ? 409 : 404, reason: taken ? "Conflict" : "NotFound", message: "fake" });
}

function parseLease(body: unknown): StoredLease {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an election sends is tested against a real server
  return structuredClone(body ?? { metadata: {}, spec: {} }) as StoredLease;
}
