// Beginnings of agents that somebody keeps for others, as `resource://presets/list` has them.
import * as z from "zod";
import { jsonResource } from "../connect/resources.ts";

const preset = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  spec: z.record(z.string(), z.unknown()).optional(),
  /** Why no agent can be made of it. */
  problem: z.string().optional(),
});
export type Preset = z.output<typeof preset>;

export const presetsUri = "resource://presets/list";
export const presetsResource = jsonResource(z.array(preset));
