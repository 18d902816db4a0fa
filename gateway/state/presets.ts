// The presets of the namespace as they are: the ConfigMaps that are labelled as such, from a watch. What is in one is read, and
// judged, by whoever offers it.
import * as z from "zod";
import { group } from "../../crds/names.ts";
import { identityOf, type LiveObject, type RawObject } from "../../lib/kube/object.ts";
import type { ResourceType } from "../../lib/kube/resource.ts";
import type { ReadStore } from "../../lib/kube/store.ts";

export const configMapType: ResourceType = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" };
export const presetLabel = `${group}/preset`;

export interface PresetText {
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

export interface PresetSource {
  /** From memory, by name. */
  listPresets(): readonly PresetText[];
  /** Called for each that is there and after each change, until what it returns is called. */
  onChange(listener: () => void): () => void;
}

/** Where there is no cluster. */
export const noPresets: PresetSource = { listPresets: () => [], onChange: () => () => undefined };

export interface PresetMap extends LiveObject {
  readonly data: PresetText["data"];
}

const dataSchema = z.record(z.string(), z.string()).nullish();
/** Throws on an object of another shape. */
export const parsePreset = (raw: RawObject): PresetMap => ({
  ...identityOf(raw),
  data: dataSchema.parse(raw["data"]) ?? {},
});

export function readPresets(store: Pick<ReadStore<PresetMap>, "list" | "onChange">): PresetSource {
  return {
    listPresets: () =>
      store
        .list()
        .map(({ metadata: { name }, data }) => ({ name, data }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    onChange: (listener) => store.onChange(listener),
  };
}
