// The kinds of Pallas in one table: what the API server calls each, its manifest as files hold it, and how much of it
// is read where the API server serves it. Another kind is a line here.
import * as z from "zod";
import { agentManifest, pallasAgent } from "./agent.ts";
import type { ResourceDefinition } from "./definition.ts";
import { instanceManifest, pallasInstance } from "./instance.ts";
import { group, version } from "./names.ts";

interface ManifestShape {
  readonly [field: string]: z.ZodType;
  readonly metadata: z.ZodObject<{ name: z.ZodType<string> }>;
  readonly spec: z.ZodType;
}

const kindOf = <Definition extends ResourceDefinition, Shape extends ManifestShape>(
  definition: Definition,
  manifest: z.ZodObject<Shape>,
) => {
  const { metadata, spec } = manifest.shape;
  return {
    definition,
    manifest,
    type: { group, version, plural: definition.plural, kind: definition.kind },
    /** Without the status, which is another's, and with no more of the metadata than we have rules for. */
    served: z.object({ metadata: z.object({ name: metadata.shape.name }), spec }),
  };
};

export const kinds = {
  PallasAgent: kindOf(pallasAgent, agentManifest),
  PallasInstance: kindOf(pallasInstance, instanceManifest),
};
export type KindName = keyof typeof kinds;
export type ResourceOf<Name extends KindName> = z.output<(typeof kinds)[Name]["manifest"]>;

export const agentType = kinds.PallasAgent.type;
export const instanceType = kinds.PallasInstance.type;
