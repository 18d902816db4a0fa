import { describe, expect, it } from "vitest";
import { annotations } from "../../crds/names.ts";
import { keyOf, type LiveObject, type RawObject } from "../../lib/kube/object.ts";
import { Store } from "../../lib/kube/store.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { renderAgentChildren } from "../render/agent-children.ts";
import { around, makeAgent, makeInstance } from "../render/testing/resources.ts";
import { RolloutBudget } from "./budget.ts";
import { createImagePacing, type PaceRequest } from "./pace-image.ts";
import { carriedOut, gaveUp, liveDeployment } from "./testing/live-deployment.ts";

const release = "pallas/agent:2";
const failed = (error: unknown) => {
  throw error;
};

/** What is rendered for the agent with this image and these edits. */
const rendered = (image: string, edits: object = {}) => {
  const instance = makeInstance();
  const agent = makeAgent("research", edits);
  return renderAgentChildren(agent, around(instance, agent), { agent: image, registry: "r", gateway: "g", bridge: "b" })
    .deployment;
};
/** As a server holds it. */
const stored = (deployment: ReturnType<typeof rendered>): RawObject => ({
  ...deployment,
  metadata: { ...deployment.metadata, uid: "u", resourceVersion: "1", generation: 1 },
});
const live = (image: string, edits: object = {}): RawObject => stored(rendered(image, edits));

/** What this release made of it, and somebody changed. */
const setByHand = (image: string): RawObject => {
  const { spec } = live(image);
  return { ...live(release), spec };
};

/** What the release before made of it: pods that are made otherwise. */
const madeOtherwise = (deployment: RawObject): RawObject =>
  JSON.parse(JSON.stringify(deployment).replaceAll("/etc/pallas", "/etc/before"));
const ofReleaseBefore = (image: string): RawObject => madeOtherwise(live(image));

const imageOf = (of: LiveObject | undefined): string =>
  /"name":"agent","image":"([^"]+)"/.exec(JSON.stringify(of))?.[1] ?? "none";

function setUp({ maxRollouts = 1, taken = 1 } = {}) {
  const store = new Store<LiveObject>({ indexes: {}, onListenerError: failed });
  const onFree = () => undefined;
  const budget = new RolloutBudget({ deployments: store, image: release, maxRollouts, onFree, log: silentLog() });
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
    const previous = deployment?.metadata.annotations?.[annotations.previousImage];
    const [agent] = template?.spec?.containers ?? [];
    return { image: agent?.image, mounts: JSON.stringify(agent?.volumeMounts), replicas, waiting, previous };
  };
  return { store, budget, pace };
}

describe("OPR-11 whether a Deployment takes the image of a new release", () => {
  it.each<[string, Partial<PaceRequest>]>([
    ["none is there yet", { live: undefined }],
    ["it has that image already", { live: live(release) }],
    ["its instance names another image", { pinned: true }],
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
      waiting: "stays on image pallas/agent:1 until fewer than 1 agents are on their way to pallas/agent:2",
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

  describe.each<[string, Partial<PaceRequest>]>([
    ["the image stays the same", { live: ofReleaseBefore(release) }],
    ["the image is pinned", { live: ofReleaseBefore("mine:7"), desired: rendered("mine:7"), pinned: true }],
  ])("the release makes pods otherwise, and %s", (_, request) => {
    const image = imageOf(request.live);

    it("no turn: it is left alone, and says what it waits for", () => {
      expect(setUp().pace(request)).toMatchObject({
        image: undefined,
        waiting: "stays as an earlier release made it until fewer than 1 agents are on their way to pallas/agent:2",
      });
    });

    it("a turn: at once", () => {
      expect(setUp({ taken: 0 }).pace(request)).toMatchObject({ image, waiting: undefined });
    });

    it("its user edits it: at once", () => {
      expect(setUp().pace({ ...request, specHandled: false })).toMatchObject({ image, waiting: undefined });
    });

    it("a scaling while it waits: at once, and its pods stay as they were made", () => {
      const { pace } = setUp();
      pace(request);
      const desired = rendered(image, { replicas: 3 });
      expect(pace({ ...request, desired, specHandled: false })).toMatchObject({
        image,
        replicas: 3,
        mounts: expect.stringContaining("/etc/before"),
        waiting: expect.stringContaining("stays as an earlier release made it"),
      });
    });

    it("its instance is edited, before it waits and after it arrived: at once", () => {
      const { pace } = setUp();
      pace(request);
      const edited = { ...request, desired: rendered(image, { request: { maxSteps: 7 } }) };
      expect(pace(edited)).toMatchObject({ image, waiting: undefined });
      expect(pace({ ...edited, desired: rendered(image, { request: { maxSteps: 8 } }) }).waiting).toBeUndefined();
    });
  });

  it("an edit of the instance is no matter of the release where pods are as it makes them", () => {
    const { pace } = setUp();
    const arrived = { live: live(release) };
    pace(arrived);
    const desired = rendered(release, { request: { maxSteps: 7 } });
    expect(pace({ ...arrived, desired })).toMatchObject({ image: release, waiting: undefined });
    const changedByHand = live(release, { request: { maxSteps: 9 } });
    expect(pace({ live: changedByHand })).toMatchObject({ image: release, waiting: undefined });
  });

  it("another image is pinned while it waits: at once", () => {
    const { pace } = setUp();
    const held = { live: ofReleaseBefore("mine:7"), pinned: true };
    expect(pace({ ...held, desired: rendered("mine:7") }).waiting).toBeDefined();
    expect(pace({ ...held, desired: rendered("mine:8") })).toMatchObject({ image: "mine:8", waiting: undefined });
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

describe("OPR-11 a Deployment that its user paused", () => {
  const paused = (): RawObject => {
    const deployment = rendered("pallas/agent:1");
    if (deployment.spec) deployment.spec.paused = true;
    return stored(deployment);
  };

  it("is not given the image, although there is a turn, and takes nobody's", () => {
    const { pace, budget } = setUp({ taken: 0 });
    expect(pace({ live: paused() })).toMatchObject({
      image: "pallas/agent:1",
      waiting: expect.stringContaining("kubectl rollout resume deployment/research -n agents"),
    });
    expect(budget).toMatchObject({ moving: 0, waiting: 0 });
    expect(budget.take("agents/other")).toBe(true);
  });

  it("leaves the queue when it is paused there", () => {
    const { pace, budget } = setUp();
    pace();
    expect(budget.waiting).toBe(1);
    pace({ live: paused() });
    expect(budget.waiting).toBe(0);
  });

  it("takes its turn once it is resumed", () => {
    const { pace } = setUp({ taken: 0 });
    pace({ live: paused() });
    expect(pace()).toMatchObject({ image: release, waiting: undefined });
  });

  it("follows its user's edits at once", () => {
    const desired = rendered(release, { request: { maxSteps: 7 } });
    expect(setUp().pace({ live: paused(), desired, specHandled: false })).toMatchObject({ image: release });
  });
});

describe("OPR-11 the image that an agent served with before", () => {
  const withStatus = (image: string, previous: string | undefined, status: object): RawObject => {
    const deployment = rendered(image);
    if (previous !== undefined) {
      deployment.metadata.annotations = { ...deployment.metadata.annotations, [annotations.previousImage]: previous };
    }
    return { ...stored(deployment), status };
  };
  const done = { ...carriedOut, observedGeneration: 1 };
  const failing = { ...gaveUp, availableReplicas: 0 };
  const starting = { observedGeneration: 0 };

  it.each<[string, string | undefined, RawObject | undefined]>([
    ["is noted where it serves", "pallas/agent:1", withStatus("pallas/agent:1", undefined, done)],
    ["is none where it does not", undefined, withStatus("pallas/agent:1", undefined, failing)],
    ["is none where the last template gave up", undefined, withStatus("pallas/agent:1", undefined, gaveUp)],
    ["is none on a new one", undefined, undefined],
    ["is the last", "pallas/agent:1", withStatus("pallas/agent:1", "pallas/agent:0", done)],
    ["is the one before where the last had no time", "pallas/agent:0", withStatus("x:1", "pallas/agent:0", starting)],
    ["is none where the last failed", undefined, withStatus("x:1", "pallas/agent:0", failing)],
    ["stays while the image is on its way", "pallas/agent:1", withStatus(release, "pallas/agent:1", starting)],
    ["stays when it failed", "pallas/agent:1", withStatus(release, "pallas/agent:1", failing)],
    ["stays when it serves, so that nothing is written", "pallas/agent:1", withStatus(release, "pallas/agent:1", done)],
  ])("%s: %s", (_, previous, live) => {
    expect(setUp({ taken: 0 }).pace({ live }).previous).toBe(previous);
  });

  it.each<[string, string | undefined, object]>([
    ["goes with an edit of an agent that is well", undefined, done],
    ["stays with an edit of one whose old pod serves", "pallas/agent:1", { ...starting, availableReplicas: 1 }],
    ["stays with an edit of one that failed", "pallas/agent:1", failing],
    ["stays with an edit of one that is on its way", "pallas/agent:1", starting],
  ])("%s: %s", (_, previous, status) => {
    const live = withStatus(release, "pallas/agent:1", status);
    expect(setUp().pace({ live, specHandled: false }).previous).toBe(previous);
  });

  it.each<[string, string | undefined, boolean]>([
    ["is the same one where it is its turn to be made otherwise", release, true],
    ["is none where an edit makes it otherwise", undefined, false],
  ])("%s: %s", (_, previous, specHandled) => {
    const older = madeOtherwise(withStatus(release, undefined, done));
    expect(setUp({ taken: 0 }).pace({ live: older, specHandled }).previous).toBe(previous);
  });

  it("stays on one that is held", () => {
    const live = withStatus("pallas/agent:1", "pallas/agent:0", failing);
    expect(setUp().pace({ live })).toMatchObject({ image: "pallas/agent:1", previous: "pallas/agent:0" });
  });
});

describe("OPR-11 a rollout that is stopped", () => {
  const stopped = () => {
    const scene = setUp({ taken: 0 });
    scene.store.upsert(liveDeployment("broken", { image: release, status: gaveUp }));
    return scene;
  };

  it("a Deployment that waits keeps its image, and says whose failure it waits for", () => {
    expect(stopped().pace()).toMatchObject({
      image: "pallas/agent:1",
      waiting: expect.stringContaining(`the rollout of ${release} is stopped, because broken served before`),
    });
  });

  it("an edit by its user passes all the same", () => {
    const desired = rendered(release, { request: { maxSteps: 7 } });
    expect(stopped().pace({ desired, specHandled: false })).toMatchObject({ image: release, waiting: undefined });
  });

  it("goes on with the next look once the failed one is available", () => {
    const { pace, store } = stopped();
    pace();
    store.upsert(liveDeployment("broken", { image: release, status: carriedOut, version: 2 }));
    expect(pace()).toMatchObject({ image: release });
  });
});
