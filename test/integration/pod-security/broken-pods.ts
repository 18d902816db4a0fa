// Ways to break a pod that meets Pod Security `restricted`, each in one place, to show that the judge is awake.
import type { V1Container, V1ObjectMeta, V1PodSpec } from "@kubernetes/client-node";

export interface Pod {
  apiVersion: "v1";
  kind: "Pod";
  metadata: V1ObjectMeta;
  spec: V1PodSpec;
}

type Breakage = (spec: V1PodSpec, container: V1Container, metadata: V1ObjectMeta) => void;

const podContext = (spec: V1PodSpec) => (spec.securityContext ??= {});
const contextOf = (container: V1Container) => (container.securityContext ??= {});
const volumesOf = (spec: V1PodSpec) => (spec.volumes ??= []);

const breakages: Readonly<Record<string, Breakage>> = {
  "a privileged container": (_spec, container) => {
    contextOf(container).privileged = true;
    contextOf(container).allowPrivilegeEscalation = true;
  },
  "privilege escalation": (_spec, container) => (contextOf(container).allowPrivilegeEscalation = true),
  "a capability more": (_spec, container) =>
    (contextOf(container).capabilities = { drop: ["ALL"], add: ["NET_ADMIN"] }),
  "capabilities kept": (_spec, container) => (contextOf(container).capabilities = {}),
  "the root user": (spec) => (podContext(spec).runAsUser = 0),
  "the root user of a container": (_spec, container) => (contextOf(container).runAsUser = 0),
  "root allowed": (spec) => (podContext(spec).runAsNonRoot = false),
  "no seccomp profile": (spec) => delete podContext(spec).seccompProfile,
  "seccomp switched off": (_spec, container) => (contextOf(container).seccompProfile = { type: "Unconfined" }),
  "AppArmor switched off": (_spec, container) => (contextOf(container).appArmorProfile = { type: "Unconfined" }),
  "AppArmor switched off by annotation": (_spec, { name }, metadata) => {
    const key = `container.apparmor.security.beta.kubernetes.io/${name}`;
    metadata.annotations = { ...metadata.annotations, [key]: "unconfined" };
  },
  "an SELinux user": (spec) => (podContext(spec).seLinuxOptions = { user: "system_u" }),
  "the node's network": (spec) => (spec.hostNetwork = true),
  "the node's processes": (spec) => (spec.hostPID = true),
  "the node's shared memory": (spec) => (spec.hostIPC = true),
  "a port of the node": (_spec, container) => (container.ports = [{ containerPort: 8080, hostPort: 8080 }]),
  "a folder of the node": (spec) => volumesOf(spec).push({ name: "extra", hostPath: { path: "/etc" } }),
  "a volume of the network": (spec) =>
    volumesOf(spec).push({ name: "extra", nfs: { server: "nfs.example.com", path: "/" } }),
  "an unsafe sysctl": (spec) => (podContext(spec).sysctls = [{ name: "kernel.msgmax", value: "65536" }]),
  "a SELinux type": (_spec, container) => (contextOf(container).seLinuxOptions = { type: "spc_t" }),
  "seccomp switched off for the pod": (spec) => (podContext(spec).seccompProfile = { type: "Unconfined" }),
  "a probe of a host that the pod names": (_spec, container) =>
    (container.readinessProbe = { httpGet: { host: "169.254.169.254", port: 80 } }),
  "an init container without a context": (spec) =>
    (spec.initContainers = [{ name: "first", image: "example.com/first:1" }]),
};

export const waysToBreak = Object.keys(breakages);

/** A copy of the pod, broken in that way. */
export function breakPod(pod: Pod, way: string): Pod {
  const { metadata, spec, ...identity } = structuredClone(pod);
  const [container] = spec.containers;
  const breakIt = breakages[way];
  if (!container || !breakIt) throw new Error(`expected a container and a known way to break it, found "${way}"`);
  breakIt(spec, container, metadata);
  return { ...identity, metadata, spec };
}
