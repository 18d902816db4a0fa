// What holds for a fleet in any order of outcomes: generated sequences, played through the pacing as a reconciler does.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fleet, newImage, type FleetOptions } from "./testing/fleet.ts";

const agents = 6;
const index = fc.nat({ max: agents - 1 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("reconcile" as const), index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("give up" as const), index, surged: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("carry out" as const), index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
  // The reconcile's write fails.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("lose" as const), index }) },
);
const pause = fc.record({ kind: fc.constant("pause" as const), index, paused: fc.boolean() });
const stepOrPause = fc.oneof(step, pause);
type Step = typeof stepOrPause extends fc.Arbitrary<infer Value> ? Value : never;

const options = fc.record({
  maxRollouts: fc.integer({ min: 1, max: agents - 1 }),
  serving: fc.array(fc.boolean(), { minLength: agents, maxLength: agents }),
});

function play(fleet: Fleet, step: Step): void {
  const name = "index" in step ? (fleet.names[step.index] ?? "") : "";
  if (step.kind === "reconcile") fleet.reconcile(name);
  if (step.kind === "lose") fleet.pace(name);
  if (step.kind === "restart") fleet.restart();
  if (step.kind === "pause") fleet.setPaused(name, step.paused);
  if (step.kind === "carry out" && fleet.observe(name).state !== "paused") fleet.carryOut(name);
  if (step.kind === "give up" && fleet.observe(name).state === "moving") fleet.giveUp(name, step.surged);
}

const onNewImage = (fleet: Fleet) =>
  fleet.names.map((name) => fleet.observe(name)).filter(({ image }) => image === newImage);
const moving = (fleet: Fleet) => onNewImage(fleet).filter(({ state }) => state === "moving").length;
/** That served before and do not with the new image. */
const failed = (fleet: Fleet) =>
  onNewImage(fleet).filter(({ state, previousImage }) => state === "gaveUp" && previousImage !== undefined).length;

describe("OPR-11 whatever becomes of the agents that move", () => {
  it("no more move and have failed than may move at once, and just so many more get a turn as are left", () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 60 }), (given: FleetOptions, steps) => {
        const fleet = new Fleet(given);
        for (const each of steps) {
          play(fleet, each);
          const left = given.maxRollouts - moving(fleet) - failed(fleet);
          expect(left).toBeGreaterThanOrEqual(0);
          const old = fleet.names.filter((name) => fleet.observe(name).image !== newImage);
          const restarted = fleet.startPacing();
          const granted = old.filter((name) => fleet.pace(name, restarted).waiting === undefined);
          expect(granted).toHaveLength(Math.min(left, old.length));
        }
      }),
    );
  });

  it("with Deployments that are paused and resumed, none gets a turn while as many move and have failed", () => {
    fc.assert(
      fc.property(options, fc.array(stepOrPause, { maxLength: 60 }), (given: FleetOptions, steps) => {
        const fleet = new Fleet(given);
        for (const each of steps) {
          const [before, taken] = [onNewImage(fleet).length, moving(fleet) + failed(fleet)];
          play(fleet, each);
          const granted = onNewImage(fleet).length - before;
          expect(granted).toBeLessThanOrEqual(Math.max(0, given.maxRollouts - taken));
        }
      }),
    );
  });

  it("once all that failed are repaired, every agent gets the image", () => {
    fc.assert(
      fc.property(options, fc.array(stepOrPause, { maxLength: 60 }), (given: FleetOptions, steps) => {
        const fleet = new Fleet(given);
        for (const each of steps) play(fleet, each);
        fleet.clock.stall(60_000); // Turns that came to nothing.
        for (const name of fleet.names) fleet.setPaused(name, false);
        for (let round = 0; round <= agents; round += 1) {
          for (const name of fleet.names) fleet.reconcile(name);
          for (const name of fleet.names) fleet.carryOut(name);
        }
        for (const name of fleet.names) {
          fleet.reconcile(name);
          expect(fleet.observe(name)).toMatchObject({ image: newImage, state: "settled" });
        }
      }),
    );
  });
});
