// What somebody with the right to write our two resources might try. Each says who stops it; what passes is harmless
// as rendered, and that is shown elsewhere.
import { apiVersion } from "../../../crds/names.ts";

export const instance = (spec: object = {}, name = "team") => ({
  apiVersion,
  kind: "PallasInstance",
  metadata: { name },
  spec: { registryNamespace: "com.example", defaultModel: "passthrough", ...spec },
});

export const agent = (spec: object = {}, name = "echo", of = "team") => ({
  apiVersion,
  kind: "PallasAgent",
  metadata: { name },
  spec: { instanceRef: { name: of }, ...spec },
});

const server = (fields: object) => instance({ servers: [{ name: "a", url: "http://a/mcp", ...fields }] });
const secret = (fields: object) =>
  server({ headers: [{ name: "X-A", valueFrom: { secretKeyRef: { name: "keys", key: "k", ...fields } } }] });

const access = (...entries: object[]) => instance({ gateway: { access: entries } });
const onCall = { serviceAccount: { name: "on-call" } };

type Row = readonly [what: string, manifest: ReturnType<typeof agent> | ReturnType<typeof instance>, field: string];

/** Fields that do not exist: refused where validation is strict, else dropped before anybody sees them. Each says "evil". */
export const unknownFields: readonly Row[] = [
  [
    "a Secret of another namespace",
    secret({ namespace: "evil" }),
    "spec.servers[0].headers[0].valueFrom.secretKeyRef.namespace",
  ],
  [
    "an instance of another namespace",
    agent({ instanceRef: { name: "team", namespace: "evil" } }),
    "spec.instanceRef.namespace",
  ],
  [
    "a ConfigMap of another namespace",
    agent({ instructionFrom: { configMapKeyRef: { name: "a", key: "k", namespace: "evil" } } }),
    "spec.instructionFrom.configMapKeyRef.namespace",
  ],
  [
    "a pull secret of another namespace",
    instance({ imagePullSecrets: [{ name: "a", namespace: "evil" }] }),
    "spec.imagePullSecrets[0].namespace",
  ],
  [
    "a sub-agent of another namespace",
    agent({ agents: [{ name: "other", namespace: "evil" }] }),
    "spec.agents[0].namespace",
  ],
  ["a ServiceAccount", agent({ serviceAccountName: "evil" }), "spec.serviceAccountName"],
  ["a ServiceAccount of the pod", agent({ pod: { serviceAccountName: "evil" } }), "spec.pod.serviceAccountName"],
  [
    "a folder of the node",
    agent({ pod: { volumes: [{ name: "evil", hostPath: { path: "/" } }] } }),
    "spec.pod.volumes",
  ],
  [
    "a privileged context",
    agent({ pod: { securityContext: { privileged: true, evil: true } } }),
    "spec.pod.securityContext",
  ],
  ["the node's network", agent({ pod: { hostNetwork: "evil" } }), "spec.pod.hostNetwork"],
  ["a container beside its own", agent({ pod: { containers: [{ name: "evil" }] } }), "spec.pod.containers"],
  ["its environment", agent({ env: [{ name: "NODE_OPTIONS", value: "evil" }] }), "spec.env"],
  [
    "its environment by agentDefaults",
    instance({ agentDefaults: { pod: { env: [{ name: "evil" }] } } }),
    "spec.agentDefaults.pod.env",
  ],
  ["its image", agent({ image: "example.com/evil" }), "spec.image"],
  ["its command", agent({ pod: { command: ["evil"] } }), "spec.pod.command"],
  [
    "an admin of another namespace",
    access({ role: "admin", serviceAccount: { name: "on-call", namespace: "evil" } }),
    "spec.gateway.access[0].serviceAccount.namespace",
  ],
  [
    "tokens of another namespace",
    access({ role: "admin", tokenFrom: { secretKeyRef: { name: "a", key: "k", namespace: "evil" } } }),
    "spec.gateway.access[0].tokenFrom.secretKeyRef.namespace",
  ],
  [
    "the account of a gateway",
    instance({ gateway: { serviceAccountName: "evil" } }),
    "spec.gateway.serviceAccountName",
  ],
  ["the audience of a gateway", instance({ gateway: { audience: "evil" } }), "spec.gateway.audience"],
];

/** Values that the schema refuses, whoever asks. */
export const invalidValues: readonly Row[] = [
  ["a key that climbs folders", secret({ key: "../../token" }), "secretKeyRef.key"],
  ["a Secret's name that climbs folders", secret({ name: "../other" }), "secretKeyRef.name"],
  ["an instance's name with a slash", agent({ instanceRef: { name: "../other" } }), "spec.instanceRef.name"],
  [
    "a header in a header's value",
    server({ headers: [{ name: "X-A", value: "a\r\nAuthorization: evil" }] }),
    "headers[0].value",
  ],
  ["a header in a header's name", server({ headers: [{ name: "X-A: evil\r\nX-B", value: "a" }] }), "headers[0].name"],
  ["a request in a URL", server({ url: "http://a/mcp HTTP/1.1\r\nHost: evil" }), "spec.servers[0].url"],
  ["a file as a server", server({ url: "file:///var/run/secrets" }), "spec.servers[0].url"],
  ["a wildcard host", instance({ http: { allowedHosts: ["*"] } }), "spec.http.allowedHosts[0]"],
  ["a wildcard below a domain", instance({ http: { allowedHosts: ["*.example.com"] } }), "spec.http.allowedHosts[0]"],
  ["a wildcard origin", instance({ http: { allowedOrigins: ["*"] } }), "spec.http.allowedOrigins[0]"],
  ["the origin null", instance({ http: { allowedOrigins: ["null"] } }), "spec.http.allowedOrigins[0]"],
  ["an image with a command line", instance({ images: { agent: "a --privileged" } }), "spec.images.agent"],
  ["a label's value with a NUL", agent({ pod: { labels: { a: "b\u0000c" } } }), "spec.pod.labels"],
  ["a look-alike of a label's key", agent({ pod: { labels: { "pаllas.helu.ca/agent": "a" } } }), "spec.pod.labels"],
  ["a model's name with a line end", agent({ model: "openai.a\nb" }), "spec.model"],
  ["an instruction over its limit", agent({ instruction: "x".repeat(131_073) }), "spec.instruction"],
  ["the name of a registry", agent({}, "team-registry"), "metadata.name"],
  ["the name of what every agent offers", agent({}, "send-message"), "metadata.name"],
  ["replicas below none", agent({ replicas: -1 }), "spec.replicas"],
  ["everybody as admin", access({ role: "admin" }), "spec.gateway.access[0]"],
  ["a role above all", access({ role: "root", ...onCall }), "spec.gateway.access[0].role"],
  ["a role and an agent at once", access({ role: "admin", agent: "echo", ...onCall }), "spec.gateway.access[0]"],
  ["an agent by an account of anybody's", access({ agent: "echo", ...onCall }), "spec.gateway.access[0]"],
  [
    "tokens at a path that climbs folders",
    access({ role: "admin", tokenFrom: { secretKeyRef: { name: "a", key: "../../run/secrets" } } }),
    "spec.gateway.access[0].tokenFrom.secretKeyRef.key",
  ],
];

const apparmor = "container.apparmor.security.beta.kubernetes.io/agent";
const metadataUrl = "http://169.254.169.254/latest/meta-data";
const many = 100;
const largeServers = Array.from({ length: many }, (_, at) => ({
  name: `s${at}`,
  url: `http://a.b.svc/${at}`,
  prefix: `p${at}`,
  headers: ["X-A", "X-B", "X-C"].map((name) => ({ name, value: "x".repeat(4_096) })),
}));

/** What the API server takes and the operator does not act on: condition, reason, and a part of the message. */
export const notActedOn: readonly (readonly [...Row, verdict: string])[] = [
  [
    "a placeholder for its environment",
    instance({ servers: [{ name: "a", url: "http://${HOST}/mcp" }] }, "i-env"),
    "${HOST}",
    "Accepted False PlaceholderInCluster",
  ],
  [
    "a server at the metadata service",
    instance({ servers: [{ name: "a", url: metadataUrl }] }, "i-meta"),
    "spec.servers[0].url",
    "Accepted False InvalidField",
  ],
  [
    "a model at the metadata service, spelt otherwise",
    instance({ providers: [{ name: "openai", baseUrl: "http://0xa9fea9fe/v1" }] }, "i-hex"),
    "spec.providers[0].baseUrl",
    "Accepted False InvalidField",
  ],
  [
    "a proxy at a link-local address",
    instance({ proxy: { http: "http://[fe80::1]:3128" } }, "i-proxy"),
    "spec.proxy.http",
    "Accepted False InvalidField",
  ],
  [
    "an image of a foreign repository",
    instance({ images: { agent: "example.com/evil:1" } }, "i-image"),
    "spec.images.agent",
    "Accepted False InvalidField",
  ],
  [
    "a key that is the folder above",
    instance(
      {
        servers: [
          {
            name: "a",
            url: "http://a",
            headers: [{ name: "A", valueFrom: { secretKeyRef: { name: "k", key: ".." } } }],
          },
        ],
      },
      "i-key",
    ),
    "secretKeyRef.key",
    "Accepted False InvalidField",
  ],
  [
    "AppArmor switched off",
    agent({ pod: { annotations: { [apparmor]: "unconfined" } } }, "apparmor"),
    apparmor,
    "Accepted False InvalidField",
  ],
  [
    "AppArmor switched off for all",
    instance({ agentDefaults: { pod: { annotations: { [apparmor]: "unconfined" } } } }, "i-apparmor"),
    apparmor,
    "Accepted False InvalidField",
  ],
  [
    "an instance of another namespace by a path",
    agent({}, "far", "elsewhere"),
    "elsewhere",
    "Accepted Unknown InstanceNotFound",
  ],
  [
    "an agent of another instance",
    agent({ agents: [{ name: "echo" }] }, "thief", "other"),
    "echo",
    "ReferencesResolved False AgentNotFound",
  ],
  [
    "a place behind another group's Service",
    agent({ pod: { labels: { app: "payments" } } }, "backend"),
    "PALLAS_AUTHOR_LABELS",
    "Accepted False InvalidField",
  ],
  [
    "an order to what else runs in the cluster",
    agent({ pod: { annotations: { "iam.amazonaws.com/role": "admin" } } }, "ordering"),
    "PALLAS_AUTHOR_ANNOTATIONS",
    "Accepted False InvalidField",
  ],
  [
    "a place before everybody's pods",
    instance({ agentDefaults: { pod: { priorityClassName: "system-node-critical" } } }, "i-first"),
    "PALLAS_AUTHOR_PRIORITY_CLASSES",
    "Accepted False InvalidField",
  ],
  [
    "a policy that is off",
    agent({ networkPolicy: { enabled: false } }, "off"),
    "PALLAS_AUTHOR_NETWORK_POLICY",
    "Accepted False InvalidField",
  ],
  [
    "a way to all of the cluster",
    instance({ agentDefaults: { networkPolicy: { to: [{ namespaceSelector: {} }] } } }, "i-wide"),
    "PALLAS_AUTHOR_NETWORK_POLICY",
    "Accepted False InvalidField",
  ],
  [
    "the metadata service by a policy",
    agent({ networkPolicy: { to: [{ ipBlock: { cidr: "169.254.169.254/32" } }] } }, "metadata"),
    "spec.networkPolicy.to[0].ipBlock.cidr",
    "Accepted False InvalidField",
  ],
  [
    "keys of tokens over plain HTTP",
    instance({ auth: { jwt: { issuer: "http://id.example.com", audiences: ["a"] } } }, "i-issuer"),
    "spec.auth.jwt.issuer",
    "Accepted False InvalidField",
  ],
  [
    "another host by a header",
    instance({ servers: [{ name: "a", url: "http://a", headers: [{ name: "Host", value: "evil" }] }] }, "i-host"),
    "spec.servers[0].headers[0].name",
    "Accepted False InvalidField",
  ],
  [
    "a policy for everybody by an empty peer",
    agent({ networkPolicy: { from: [{}] } }, "open"),
    "spec.networkPolicy.from[0]",
    "Accepted False InvalidField",
  ],
  [
    "pods that outnumber their claim",
    agent({ storage: { size: "1Gi" }, scope: "request", replicas: 2 }, "many"),
    "spec.replicas",
    "Accepted False ScopeNeedsSharedStore",
  ],
  [
    "a run configuration over the limit of a ConfigMap",
    agent({ servers: largeServers.map(({ name }) => ({ name })) }, "large", "i-large"),
    "may not be more than 1048576 bytes",
    "Available False ApiError",
  ],
];

/** What the rows above refer to. */
export const surroundings = [
  instance(),
  agent(),
  instance({}, "other"),
  instance({ servers: largeServers }, "i-large"),
];
