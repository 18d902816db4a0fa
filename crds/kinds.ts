// The kinds of Pallas in one table: what the API server calls each, how a manifest of it is read, and how much of it is
// read where the API server serves it. Another kind is a line here; what goes through all kinds goes through this table.
import * as z from "zod";
import { agentManifest, pallasAgent, type AgentSpec, type AgentStatus, type PallasAgent } from "./agent.ts";
import {
  approvalManifest,
  pallasApproval,
  type ApprovalSpec,
  type ApprovalStatus,
  type PallasApproval,
} from "./approval.ts";
import { manifestSchema, type ResourceDefinition } from "./definition.ts";
import {
  instanceManifest,
  pallasInstance,
  type InstanceSpec,
  type InstanceStatus,
  type PallasInstance,
} from "./instance.ts";
import { group, version } from "./names.ts";
import { pallasPolicy, policyManifest, type PallasPolicy, type PolicySpec, type PolicyStatus } from "./policy.ts";
import {
  pallasRegistration,
  registrationManifest,
  type PallasRegistration,
  type RegistrationSpec,
  type RegistrationStatus,
} from "./registration.ts";
import { pallasServer, serverManifest, type PallasServer, type ServerSpec, type ServerStatus } from "./server.ts";

export interface Kind<Spec, Status, Manifest = unknown> {
  readonly definition: ResourceDefinition;
  readonly type: { readonly group: string; readonly version: string; readonly plural: string; readonly kind: string };
  /** As people write it, closed at every level. */
  readonly manifest: z.ZodType<Manifest> & z.core.$ZodTypeDiscriminable;
  /** Without the status, which is another's, and with no more of the metadata than there are rules for. */
  readonly served: z.ZodType<{ spec: Spec }>;
  readonly status: z.ZodType<Status>;
  readonly statusFields: Readonly<Record<string, z.core.$ZodType>>;
}

function kindOf<Spec, Status, Manifest>(
  definition: ResourceDefinition<z.ZodType<Spec>, z.ZodType<Status> & Pick<z.ZodObject, "shape">>,
  manifest: z.ZodType<Manifest> & z.core.$ZodTypeDiscriminable,
): Kind<Spec, Status, Manifest> {
  const { kind, plural, spec, status } = definition;
  const { name } = manifestSchema(definition).shape.metadata.shape;
  return {
    definition,
    type: { group, version, plural, kind },
    manifest,
    served: z.object({ metadata: z.object({ name }), spec }),
    status,
    statusFields: status.shape,
  };
}

export const kinds = {
  PallasAgent: kindOf<AgentSpec, AgentStatus, PallasAgent>(pallasAgent, agentManifest),
  PallasInstance: kindOf<InstanceSpec, InstanceStatus, PallasInstance>(pallasInstance, instanceManifest),
  PallasServer: kindOf<ServerSpec, ServerStatus, PallasServer>(pallasServer, serverManifest),
  PallasRegistration: kindOf<RegistrationSpec, RegistrationStatus, PallasRegistration>(
    pallasRegistration,
    registrationManifest,
  ),
  PallasPolicy: kindOf<PolicySpec, PolicyStatus, PallasPolicy>(pallasPolicy, policyManifest),
  PallasApproval: kindOf<ApprovalSpec, ApprovalStatus, PallasApproval>(pallasApproval, approvalManifest),
};

/** A resource of any kind. */
export type Resource = z.output<(typeof kinds)[keyof typeof kinds]["manifest"]>;

export const isOfKind =
  <Manifest extends Resource>({ type }: Kind<unknown, unknown, Manifest>) =>
  (resource: Resource): resource is Manifest =>
    resource.kind === type.kind;

/** The instance first, since all others belong to one. */
export const kindNames: readonly string[] = [
  pallasInstance.kind,
  ...Object.keys(kinds).filter((name) => name !== pallasInstance.kind),
];

/** Of these a gateway writes every object; of the others people write manifests. */
const writtenByGateway: readonly string[] = [pallasRegistration.kind, pallasApproval.kind];
export const manifestKindNames: readonly string[] = kindNames.filter((name) => !writtenByGateway.includes(name));

export const agentType = kinds.PallasAgent.type;
export const instanceType = kinds.PallasInstance.type;
export const serverType = kinds.PallasServer.type;
export const registrationType = kinds.PallasRegistration.type;
export const policyType = kinds.PallasPolicy.type;
export const approvalType = kinds.PallasApproval.type;
