// The gateway's part of a server's status: by an apply of its own, and for that very server.
import { describe, expect, it } from "vitest";
import { ApiError } from "../../lib/kube/api-error.ts";
import type { Call } from "../../lib/kube/transport.ts";
import { serverResource } from "../testing/resources.ts";
import { createServerStatusWrites } from "./server-status.ts";

function open(answer: () => unknown) {
  const calls: Call[] = [];
  const transport = {
    request: async (call: Call) => {
      calls.push(call);
      return answer();
    },
    watch: () => Promise.reject(new Error("not expected")),
    close: async () => undefined,
  };
  return { write: createServerStatusWrites(transport), calls };
}
const refuse = (status: number, reason: string) => () => {
  throw new ApiError({ status, reason, message: reason });
};

describe("DSC-12 what a gateway says of a server's tools", () => {
  it("is applied under a field manager of its own, to the status of that very server", async () => {
    const answer = { kind: "PartialObjectMetadata", metadata: { name: "memory", uid: "u", resourceVersion: "2" } };
    const { write, calls } = open(() => answer);
    await write(serverResource("memory"), { toolCount: 9 });
    expect(calls).toMatchObject([
      {
        method: "PATCH",
        path: "/apis/pallas.helu.ca/v1alpha1/namespaces/agents/pallasservers/memory/status",
        query: { fieldManager: "pallas-gateway-tools", force: true },
        contentType: "application/apply-patch+yaml",
        body: { metadata: { uid: "uid-of-memory" }, status: { toolCount: 9 } },
      },
    ]);
  });

  it("is nothing where the server is gone, and an error where it is refused", async () => {
    await expect(open(refuse(404, "NotFound")).write(serverResource("memory"), {})).resolves.toBeUndefined();
    await expect(open(refuse(403, "Forbidden")).write(serverResource("memory"), {})).rejects.toThrow("Forbidden");
  });
});
