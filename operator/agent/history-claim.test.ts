import { describe, expect, it } from "vitest";
import { ApiError } from "../../lib/kube/api-error.ts";
import type { LiveObject } from "../../lib/kube/object.ts";
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

const refusing = (error: Error, live: LiveObject | undefined) => ({
  find: () => live,
  async apply() {
    throw error;
  },
});

/** The outcome where the server answers the write with this error. */
const there: LiveObject = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { ...owner.metadata, uid: "c" },
};
const applyAgainst = (error: Error) => applyHistoryClaim({ writing, children: refusing(error, there) }, desired);
const refusal = (status: number) => new ApiError({ status, reason: "Forbidden", message: "must support resize" });

describe("OPR-5 a claim that the API server refuses", () => {
  it.each([403, 422])("with %i is tried again after ten minutes, not by back-off", async (status) => {
    expect(await applyAgainst(refusal(status))).toMatchObject({
      status,
      retryAfterMs: 600_000,
      message: expect.stringMatching(/echo-history stays as it is: must support resize; correct spec\.storage/),
    });
  });

  it("that is not there yet is tried again by back-off, like every other child", async () => {
    const error = refusal(403);
    const run = { writing, children: refusing(error, undefined) };
    expect(await applyHistoryClaim(run, desired)).toBe(error);
  });

  it.each([refusal(409), refusal(429), refusal(500), new Conflict({ message: "not ours" })])(
    "other failures are as everywhere: %s",
    async (error) => {
      await expect(applyAgainst(error)).rejects.toBe(error);
    },
  );

  it.each([
    ["5Gi", "5Gi"],
    ["500Mi", "1Gi"],
  ])("a claim of %s is asked to be %s where 1Gi is wanted: it never shrinks", async (storage, asked) => {
    const live = { ...there, spec: { resources: { requests: { storage } } } };
    const applied: unknown[] = [];
    const apply = async (_kind: string, claim: unknown) => {
      applied.push(claim);
      return there;
    };
    await applyHistoryClaim({ writing, children: { find: () => live, apply } }, desired);
    expect(applied).toMatchObject([{ spec: { resources: { requests: { storage: asked } } } }]);
  });

  it("no storage, no claim", async () => {
    const run = { writing, children: refusing(refusal(500), undefined) };
    expect(await applyHistoryClaim(run, undefined)).toBeUndefined();
  });
});
