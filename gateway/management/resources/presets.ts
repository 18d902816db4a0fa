// `resource://presets/list`: what agents can be made of, as an array. A faulty one is there with its problem.
import { isViewer } from "../access.ts";
import type { PresetSource } from "../../state/presets.ts";
import { listPresets } from "../presets.ts";
import type { ResourceFamily } from "./family.ts";

export const createPresetList = (presets: PresetSource): ResourceFamily => ({
  uri: "resource://presets/list",
  name: "Presets",
  description: "Beginnings of agents, for agents_create.",
  listKeys: (identity) => (isViewer(identity) ? [""] : []),
  mayRead: (_key, identity) => isViewer(identity),
  read: async () => listPresets(presets),
});
