import { describe, expect, it } from "vitest";
import { ApiError } from "../../lib/kube/api-error.ts";
import { Conflict } from "../../lib/kube/outcome.ts";
import { makeAgent } from "../render/testing/resources.ts";
import { renderHistoryClaim } from "../render/histories.ts";
import { applyHistoryClaim } from "./history-claim.ts";

const owner = {
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasAgent",
  metadata: { name: "echo", namespace: "agents", uid: "u", resourceVersion: "1" },
};
const writing = { owner, signal: new AbortController().signal, written: [] };
const desired = renderHistoryClaim(makeAgent("echo", { storage: { size: "1Gi" } }));

const refusing = (error: Error) => ({
  find: () => undefined,
  async apply() {
    throw error;
  },
});

/** The outcome where the server answers the write with this error. */
const applyAgainst = (error: Error) => applyHistoryClaim({ writing, children: refusing(error) }, desired);
const refusal = (status: number) => new ApiError({ status, reason: "Forbidden", message: "must support resize" });

describe("OPR-5 a claim that the API server refuses", () => {
  it.each([403, 422])("with %i is tried again after ten minutes, not by back-off", async (status) => {
    expect(await applyAgainst(refusal(status))).toMatchObject({
      status,
      retryAfterMs: 600_000,
      message: expect.stringMatching(/echo-history stays as it is: must support resize; correct spec\.storage/),
    });
  });

  it.each([refusal(409), refusal(429), refusal(500), new Conflict({ message: "not ours" })])(
    "other failures are as everywhere: %s",
    async (error) => {
      await expect(applyAgainst(error)).rejects.toBe(error);
    },
  );

  it("no storage, no claim", async () => {
    const run = { writing, children: refusing(refusal(500)) };
    expect(await applyHistoryClaim(run, undefined)).toBeUndefined();
  });
});
