// By what an endpoint counts as live, in words. Pure.
import type { DirectoryEndpoint } from "../../data/directory.ts";
import { fill } from "../../words/fill.ts";
import { directoryWords as words } from "../../words/directory.ts";

/** As the directory has them where an endpoint says none. */
const defaultSeconds = { Persistent: 60, Ephemeral: 300 } as const;
/** Missed before it is dead. */
const heartbeats = 2.5;

type Model = Pick<DirectoryEndpoint, "livenessModel" | "ttlSeconds" | "heartbeatIntervalSeconds">;

export function tellLivenessModel({
  livenessModel: model,
  ttlSeconds,
  heartbeatIntervalSeconds: heartbeat,
}: Model): string {
  const { models } = words;
  if (model === "Readiness") return models.Readiness;
  if (model === "Ephemeral") return fill(models.Ephemeral, { seconds: ttlSeconds ?? defaultSeconds.Ephemeral });
  if (model !== "Persistent") return fill(models.other, { model });
  return fill(models.Persistent, { seconds: heartbeat === null ? defaultSeconds.Persistent : heartbeat * heartbeats });
}
