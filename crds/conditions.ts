// Condition types of both resources and every reason they can carry. A reason is at once condition reason, event
// reason and metric label, so the list is closed: docs/errors.md names each one with its cure.

export const agentConditions = [
  "Accepted",
  "ReferencesResolved",
  "DependenciesReady",
  "Available",
  "Ready",
  "ModelHealthy",
  "DownstreamsReachable",
  "Reconciling",
  "Stalled",
] as const;
export type AgentConditionType = (typeof agentConditions)[number];

export const instanceConditions = [
  "Accepted",
  "RegistryAvailable",
  "GatewayAvailable", // only where spec.gateway is set
  "Ready",
  "Reconciling",
  "Stalled",
] as const;
export type InstanceConditionType = (typeof instanceConditions)[number];

export const serverConditions = [
  "Accepted",
  "Available",
  "Indexed", // by the instance's gateway: its tools were listed
  "Pinned", // by the instance's gateway: no definition of a tool changed since it was approved (DSC-12)
  "Ready",
  "Reconciling",
  "Stalled",
] as const;
export type ServerConditionType = (typeof serverConditions)[number];

export const policyConditions = ["Accepted", "Ready", "Reconciling", "Stalled"] as const;
export type PolicyConditionType = (typeof policyConditions)[number];

/** The conjunction that makes an agent Ready (OPR-3). Health never takes part. */
export const agentReadyParts = ["Accepted", "ReferencesResolved", "DependenciesReady", "Available"] as const;

/** Why a resource is not accepted or not resolved: what `plan/` finds, in a cluster and in local mode alike. */
export const validationReasons = [
  "InvalidField", // a value the schema refuses
  "UnknownField", // a misspelt key (CFG-5)
  "PlaceholderInCluster", // ${ENV} where only a Secret reference is allowed (CFG-6)
  "TokenNotForwarded", // a call between agents that authentication would refuse (AGT-11)
  "ScopeNeedsSharedStore", // OPR-10
  "InstanceNotFound",
  "InstanceNotAccepted",
  "ModelMissing",
  "ProviderNotFound",
  "ServerNotFound",
  "ServerNotAccepted",
  "AgentNotFound",
  "PolicyNotFound",
  "PolicyNotAccepted", // it never held: calls are denied
  "DependencyCycle",
  "CallDepthExceeded",
  "DuplicateName",
  "DuplicatePort",
  "PortMissing",
  "LocalOnly", // a program of one machine, in a cluster (DSC-6)
] as const;
export type ValidationReason = (typeof validationReasons)[number];

/** Everything else a condition can say. */
export const stateReasons = [
  "Accepted",
  "Resolved",
  "DependenciesReady",
  "WaitingForDependencies",
  "DependencyNotReady",
  "Available",
  "Progressing",
  "Unavailable",
  "ScaledToZero",
  "NameConflict",
  "NamespaceTerminating",
  "NotChecked",
  "Ready",
  "NotReady",
  "Succeeded",
  "Reconciling",
  "WaitingForRollout",
  "Faulty",
  "ApiError",
  "Healthy",
  "ProviderUnhealthy",
  "AgentFaulty",
  "Reachable",
  "DownstreamsUnreachable",
  "AgentUnreachable",
  "Inactive", // spec.active of a server is false
  "ServerStarting",
  "ServerDown", // it cannot be started or reached; the message has its last words
  "Listed",
  "NotListed",
  "Pinned",
  "ToolsChanged",
] as const;
export type StateReason = (typeof stateReasons)[number];
export type Reason = ValidationReason | StateReason;
