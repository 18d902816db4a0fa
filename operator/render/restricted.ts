// The security context that every pod of Pallas has: Pod Security level `restricted` (SEC-1). It is set after
// everything an author may choose, so that nothing can weaken it.
import type { V1PodSpec, V1SecurityContext } from "@kubernetes/client-node";

/** The `nonroot` user of distroless images; numeric, so that the kubelet can tell it is not root. */
const nonRootUser = 65_532;

export const restrictedPod = {
  securityContext: {
    runAsNonRoot: true,
    runAsUser: nonRootUser,
    runAsGroup: nonRootUser,
    fsGroup: nonRootUser,
    seccompProfile: { type: "RuntimeDefault" },
  },
  enableServiceLinks: false,
} satisfies Partial<V1PodSpec>;

export const restrictedContainer: V1SecurityContext = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};
