// The objects of a node cluster's DNS: CoreDNS as every cluster has it (labels, Service name), one replica. Names outside
// the cluster do not exist, so that a test cannot come to depend on the network.

import { dnsAddress } from "./addresses.ts";

export const dnsImage = "localhost/pallas-coredns:1";

const namespace = "kube-system";
const name = "coredns";
const role = "system:coredns";
const labels = { "k8s-app": "kube-dns" };

const corefile = `
cluster.local:53 in-addr.arpa:53 ip6.arpa:53 {
    errors
    health :8080
    ready :8181
    kubernetes {
        pods insecure
        ttl 1
    }
    loadbalance
}
.:53 {
    errors
    template ANY ANY {
        rcode NXDOMAIN
    }
}
`;

/** A List, for `kubectl apply`. JSON, which is YAML too. */
export const renderDnsManifest = (): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items: [...renderRights(), ...renderWorkload()] });

function renderRights(): object[] {
  const api = "rbac.authorization.k8s.io";
  const verbs = ["list", "watch"];
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    {
      apiVersion: `${api}/v1`,
      kind: "ClusterRole",
      metadata: { name: role },
      rules: [
        { apiGroups: [""], resources: ["services", "pods", "namespaces"], verbs },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs },
      ],
    },
    {
      apiVersion: `${api}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: role },
      roleRef: { apiGroup: api, kind: "ClusterRole", name: role },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}

function renderWorkload(): object[] {
  const ports = [
    { name: "dns", port: 53, protocol: "UDP" },
    { name: "dns-tcp", port: 53, protocol: "TCP" },
  ];
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { Corefile: corefile } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "kube-dns", namespace, labels },
      spec: { clusterIP: dnsAddress, selector: labels, ports },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: renderPodSpec() },
      },
    },
  ];
}

const renderPodSpec = (): object => ({
  serviceAccountName: name,
  dnsPolicy: "Default",
  priorityClassName: "system-cluster-critical",
  terminationGracePeriodSeconds: 1,
  containers: [
    {
      name,
      image: dnsImage,
      imagePullPolicy: "Never",
      args: ["-conf", "/etc/coredns/Corefile"],
      volumeMounts: [{ name: "config", mountPath: "/etc/coredns", readOnly: true }],
      resources: { requests: { cpu: "10m", memory: "30Mi" }, limits: { memory: "170Mi" } },
      readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
      livenessProbe: { httpGet: { path: "/health", port: 8080 }, initialDelaySeconds: 10 },
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65532,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        seccompProfile: { type: "RuntimeDefault" },
      },
    },
  ],
  volumes: [{ name: "config", configMap: { name } }],
});
