import { describe, expect, it } from "vitest";
import { keyOf, type LiveObject, type RawObject } from "../../lib/kube/object.ts";
import { Store } from "../../lib/kube/store.ts";
import { renderAgentChildren } from "../render/agent-children.ts";
import { around, makeAgent, makeInstance } from "../render/testing/resources.ts";
import { RolloutBudget } from "./budget.ts";
import { createImagePacing, type PaceRequest } from "./pace-image.ts";

const release = "pallas/agent:2";
const failed = (error: unknown) => {
  throw error;
};

/** What is rendered for the agent with this image and these edits. */
const rendered = (image: string, edits: object = {}) => {
  const instance = makeInstance();
  const agent = makeAgent("research", edits);
  return renderAgentChildren(agent, around(instance, agent), { agent: image, registry: "r" }).deployment;
};
/** The same as a server holds it. */
const live = (image: string, edits: object = {}): RawObject => {
  const deployment = rendered(image, edits);
  return { ...deployment, metadata: { ...deployment.metadata, uid: "u", resourceVersion: "1", generation: 1 } };
};

/** What this release made of it, and somebody changed. */
const setByHand = (image: string): RawObject => {
  const { spec } = live(image);
  return { ...live(release), spec };
};

function setUp({ maxRollouts = 1, taken = 1 } = {}) {
  const store = new Store<LiveObject>({ indexes: {}, onListenerError: failed });
  const budget = new RolloutBudget({ deployments: store, image: release, maxRollouts, onFree: () => undefined });
  for (let i = 0; i < taken; i += 1) budget.take(`agents/other-${i}`);
  const pacing = createImagePacing(budget, store);
  const pace = (request: Partial<PaceRequest> = {}) => {
    const { deployment, waiting } = pacing.paceImage({
      desired: rendered(release),
      live: live("pallas/agent:1"),
      pinned: false,
      specHandled: true,
      ...request,
    });
    const { replicas, template } = deployment?.spec ?? {};
    return { image: template?.spec?.containers[0]?.image, replicas, waiting };
  };
  return { store, pace };
}

describe("OPR-11 whether a Deployment takes the image of a new release", () => {
  it.each<[string, Partial<PaceRequest>]>([
    ["none is there yet", { live: undefined }],
    ["it has that image already", { live: live(release) }],
    ["its instance names the image", { pinned: true }],
    ["somebody set another image by hand", { live: setByHand("somebody/else:1") }],
    [
      "its user edited what its pods are",
      { desired: rendered(release, { request: { maxSteps: 7 } }), specHandled: false },
    ],
  ])("%s: at once, although there is no turn", (_, request) => {
    expect(setUp().pace(request)).toMatchObject({ image: release, waiting: undefined });
  });

  it("there is a turn: at once", () => {
    expect(setUp({ taken: 0 }).pace()).toMatchObject({ image: release, waiting: undefined });
  });

  it("there is no turn: it keeps the image it has, and says what it waits for", () => {
    expect(setUp().pace()).toMatchObject({
      image: "pallas/agent:1",
      waiting: "stays on image pallas/agent:1 until fewer than 1 agents are moving to pallas/agent:2",
    });
  });

  it("a Deployment is scaled while it waits: at once, on the image it has", () => {
    const desired = rendered(release, { replicas: 3 });
    const two = live("pallas/agent:1", { replicas: 2 });
    expect(setUp().pace({ desired, live: two, specHandled: false })).toMatchObject({
      image: "pallas/agent:1",
      replicas: 3,
    });
  });

  it("the release renders more than the image otherwise: it is left alone until its turn", () => {
    const older = live("pallas/agent:1", { request: { maxSteps: 7 } });
    const { pace } = setUp();
    expect(pace({ live: older })).toMatchObject({ image: undefined, waiting: expect.stringContaining("stays on") });
    expect(setUp({ taken: 0 }).pace({ live: older })).toMatchObject({ image: release });
  });

  it("the instance is edited while it waits: at once", () => {
    const { pace } = setUp();
    pace();
    expect(pace({ desired: rendered(release, { request: { maxSteps: 7 } }) })).toMatchObject({ image: release });
  });

  it("a Deployment that is deleted and made again is not taken for an edited one", () => {
    const { store, pace } = setUp();
    pace();
    const gone = live("pallas/agent:1");
    store.upsert(gone);
    store.remove({ ...gone, metadata: { ...gone.metadata, resourceVersion: "2" } });
    const again = rendered(release, { request: { maxSteps: 7 } });
    expect(keyOf(again)).toBe("agents/research");
    expect(pace({ desired: again })).toMatchObject({ image: undefined });
  });
});
