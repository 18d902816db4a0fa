// By what endpoints count as live, in words.
import { expect, it } from "vitest";
import { tellLivenessModel } from "./liveness-model.ts";

const tell = (livenessModel: string, ttlSeconds: number | null, heartbeatIntervalSeconds: number | null) =>
  tellLivenessModel({ livenessModel, ttlSeconds, heartbeatIntervalSeconds });

it("tells after how long an endpoint is dead, with the directory's own times where it says none", () => {
  expect(tell("Persistent", null, 30)).toBe("dead 75 s after its last heartbeat");
  expect(tell("Persistent", null, null)).toBe("dead 60 s after its last heartbeat");
  expect(tell("Ephemeral", 600, null)).toBe("dead 600 s after it was last renewed");
  expect(tell("Ephemeral", null, null)).toBe("dead 300 s after it was last renewed");
  expect(tell("Readiness", null, null)).toBe("live while it is ready");
  expect(tell("Psychic", null, null)).toBe("liveness: Psychic");
});
