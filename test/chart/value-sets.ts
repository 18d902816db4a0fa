// Values as users set them, by the name of their golden file: together they render every template and every branch.
const peers = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }];
const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
const route = { instance: "ouranos", namespace: "agents", hosts: ["agents.example.com", "mcp.example.com"] };

export const valueSets: Readonly<Record<string, object>> = {
  default: {},
  "listed-namespaces": { watchNamespaces: ["blue", "green"] },
  "own-images": {
    imageRegistry: "registry.example.com:5000/mirror/",
    images: { operator: { digest }, agent: { repository: "team/agent", tag: "1.2.3" } },
    imagePullPolicy: "Always",
    imagePullSecrets: [{ name: "regcred" }],
    allowedImages: ["registry.example.com/agents", "registry.example.com/registries"],
  },
  "generous-to-authors": {
    authors: {
      labels: ["team", "example.com/*"],
      annotations: ["*"],
      priorityClasses: ["agents-low", "agents-high"],
      networkPolicy: "off",
    },
  },
  placement: {
    nodeSelector: { "kubernetes.io/os": "linux" },
    tolerations: [{ key: "dedicated", operator: "Equal", value: "control", effect: "NoSchedule" }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }] }],
        },
      },
    },
    priorityClassName: "system-cluster-critical",
    resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { cpu: "1", memory: "1Gi" } },
    podLabels: { team: "platform" },
    podAnnotations: { "example.com/note": "kept" },
  },
  "one-loud-replica": {
    replicas: 1,
    logLevel: "DEBUG",
    maxRollouts: 50,
    extraEnv: [
      { name: "PALLAS_HEALTH_INTERVAL_MS", value: "60000" },
      { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    ],
  },
  "account-and-roles-made-elsewhere": {
    serviceAccount: { create: false, name: "made-elsewhere" },
    rbac: { create: false },
  },
  "annotated-account-and-aggregated-roles": {
    serviceAccount: { name: "pallas", annotations: { "example.com/role": "agents" } },
    rbac: { aggregate: true },
  },
  "crds-and-policy-made-elsewhere": { crds: { enabled: false }, networkPolicy: { enabled: false } },
  "crds-not-kept": { crds: { keep: false } },
  monitoring: {
    networkPolicy: { metricsFrom: peers, apiServerPorts: [16_443] },
    monitoring: {
      labels: { release: "prometheus" },
      serviceMonitor: { enabled: true, interval: "15s" },
      prometheusRule: { enabled: true },
      runbookBaseUrl: "https://docs.example.com/runbooks/",
      dashboard: { enabled: true },
    },
  },
  "pod-monitor-of-listed-namespaces": {
    watchNamespaces: ["blue"],
    monitoring: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true, instances: ["ouranos", "gaia"] } },
  },
  "admission-policies": {
    admissionPolicy: { secrets: { enabled: true }, approvals: { enabled: true }, references: { enabled: true } },
  },
  "gateway-route": {
    route: { ...route, httpRoute: { enabled: true, parentRefs: [{ name: "public", namespace: "gateways" }] } },
  },
  ingress: {
    route: {
      ...route,
      port: 80,
      ingress: {
        enabled: true,
        className: "nginx",
        annotations: { "example.com/buffering": "off" },
        tlsSecretName: "agents-tls",
      },
    },
  },
};
