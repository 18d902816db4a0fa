// The kinds of Pallas in one table: what the API server calls each, and how much of it is read where the API server
// serves it. Another kind is a line here.
import * as z from "zod";
import { pallasAgent, type AgentSpec, type AgentStatus } from "./agent.ts";
import { manifestSchema, type ResourceDefinition } from "./definition.ts";
import { pallasInstance, type InstanceSpec, type InstanceStatus } from "./instance.ts";
import { group, version } from "./names.ts";

export interface Kind<Spec, Status> {
  readonly definition: ResourceDefinition;
  readonly type: { readonly group: string; readonly version: string; readonly plural: string; readonly kind: string };
  /** Without the status, which is another's, and with no more of the metadata than there are rules for. */
  readonly served: z.ZodType<{ spec: Spec }>;
  readonly status: z.ZodType<Status>;
  readonly statusFields: Readonly<Record<string, z.core.$ZodType>>;
}

function kindOf<Spec, Status>(
  definition: ResourceDefinition<z.ZodType<Spec>, z.ZodType<Status> & Pick<z.ZodObject, "shape">>,
): Kind<Spec, Status> {
  const { kind, plural, spec, status } = definition;
  const { name } = manifestSchema(definition).shape.metadata.shape;
  return {
    definition,
    type: { group, version, plural, kind },
    served: z.object({ metadata: z.object({ name }), spec }),
    status,
    statusFields: status.shape,
  };
}

export const kinds = {
  PallasAgent: kindOf<AgentSpec, AgentStatus>(pallasAgent),
  PallasInstance: kindOf<InstanceSpec, InstanceStatus>(pallasInstance),
};

export const agentType = kinds.PallasAgent.type;
export const instanceType = kinds.PallasInstance.type;
