// What agents and their users need beside them in a namespace: a model that answers by script, the tool server of the
// examples, and a pod in which the Python client runs, as Daedalus would.
import { openCommand, type Caller } from "../integration/agents/callers.ts";
import type { ScriptedConversations } from "../models/script.ts";
import { clientImage, peersImage } from "./images/build.ts";
import { interpreterPath, programsPath } from "./images/python-root.ts";
import type { Space } from "./testbed.ts";

const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: 65532,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

interface PeerPod {
  readonly name: string;
  readonly labels?: Record<string, string>;
  readonly image: string;
  readonly command: readonly string[];
  readonly port?: number;
  readonly env?: Record<string, string>;
  /** Name of a ConfigMap, which shows at /config. */
  readonly config?: string;
}

function renderPod({ name, labels, image, command, port, env = {}, config }: PeerPod): object {
  const container = {
    name,
    image,
    imagePullPolicy: "IfNotPresent",
    command,
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    securityContext: restricted,
    ...(port === undefined
      ? {}
      : { ports: [{ containerPort: port }], readinessProbe: { tcpSocket: { port }, periodSeconds: 1 } }),
    ...(config === undefined ? {} : { volumeMounts: [{ name: "config", mountPath: "/config" }] }),
  };
  const volumes = config === undefined ? [] : [{ name: "config", configMap: { name: config } }];
  const spec = {
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    containers: [container],
    volumes,
  };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name, ...labels } }, spec };
}

const renderService = (name: string, port: number): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port }] },
});

const peerReady = (space: Space, name: string) =>
  space.kubectl("wait", "--for=condition=Ready", `pod/${name}`, "--timeout=60s");

const modelPort = 8080;
export const modelUrl = (space: Space): string => `http://model.${space.name}.svc:${modelPort}/v1`;

/** Serves an OpenAI-compatible API at `modelUrl`. */
export async function startModel(space: Space, conversations: ScriptedConversations["conversations"]): Promise<void> {
  const script = JSON.stringify({ models: { scripted: {} }, conversations });
  const command = ["node", "/app/model.mjs", "--host=0.0.0.0", `--port=${modelPort}`, "--script=/config/script.json"];
  await space.apply(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "model-script" }, data: { "script.json": script } },
    renderPod({ name: "model", image: peersImage, command, port: modelPort, config: "model-script" }),
    renderService("model", modelPort),
  );
  await peerReady(space, "model");
}

export const toolboxPort = 24290;

export async function startToolbox(space: Space): Promise<void> {
  const command = ["node", "/app/tool-server.mjs"];
  const env = { HOST: "0.0.0.0", TOOL_PORT: String(toolboxPort) };
  await space.apply(
    renderPod({ name: "toolbox", image: peersImage, command, env, port: toolboxPort }),
    renderService("toolbox", toolboxPort),
  );
  await peerReady(space, "toolbox");
}

export interface ClientPod {
  readonly pod: string;
  /** Runs Python there and gives what it prints. */
  python(...args: string[]): Promise<string>;
  /** What is there under the URL; throws for another status than 200. */
  fetchText(url: string): Promise<string>;
  /** Connects by the 2.x SDK; `legacy` is the 2025 era. */
  openCaller(url: string, mode: "legacy" | "auto"): Promise<Caller>;
}

/** By its label agents let it in (SEC-3); without `labels` it is a stranger. */
export async function startClient(
  space: Space,
  pod = "client",
  labels: Record<string, string> = { "pallas.helu.ca/client": "true" },
): Promise<ClientPod> {
  const command = [interpreterPath, "-c", "import signal; signal.pause()"];
  await space.apply(renderPod({ name: pod, labels, image: clientImage, command }));
  await peerReady(space, pod);
  const exec = ["exec", "--stdin", pod, "--", interpreterPath];
  const { kubectlPath, kubeconfigPath } = space.cluster;
  const python = (...args: string[]) => space.kubectl(...exec, ...args);
  return {
    pod,
    python,
    fetchText(url) {
      const program =
        "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=5).read().decode(), end='')";
      return python("-c", program, url);
    },
    openCaller: (url, mode) =>
      openCommand(kubectlPath, (target) => [
        `--kubeconfig=${kubeconfigPath}`,
        `--namespace=${space.name}`,
        ...exec,
        `${programsPath}/caller.py`,
        target,
        `--mode=${mode}`,
      ])(url),
  };
}

interface ModelRequest {
  readonly kind: string;
  readonly headers: Record<string, string>;
  readonly body: { readonly messages?: { role: string; content: unknown }[] };
}

/** What the model of `startModel` was sent last. */
export async function readLastModelCall(space: Space, client: ClientPod): Promise<ModelRequest> {
  const journal: ModelRequest[] = JSON.parse(
    await client.fetchText(`http://model.${space.name}.svc:${modelPort}/__journal`),
  );
  const last = journal.findLast(({ kind }) => kind === "call");
  if (last === undefined) throw new Error("expected a call of the model, found none");
  return last;
}

export const agentUrl = (space: Space, agent: string): string => `http://${agent}.${space.name}.svc:8080/mcp`;
