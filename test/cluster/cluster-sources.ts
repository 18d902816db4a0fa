// What the programs of test clusters are built from, in sets that are built and cached apart, and the name under which
// each is cached: any change of the pinned modules, of Go files or of the compiler flags gives another name, so a
// stale binary is never used.

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** What is built together; `probe` is both ends of a network test in pods, `go-sdk` clients and servers of MCP. */
export type ProgramSet = "api-server" | "node" | "chart" | "probe" | "go-sdk";

/** A Go program: built in `module` (a folder of test/cluster/go) into `output`. */
interface GoProgram {
  readonly output: string;
  readonly module: string;
  readonly arguments: readonly string[];
}

export interface ProgramSources {
  /** The folder with the Go modules. */
  readonly dir: string;
  /** For people: what is built, of which version. */
  readonly title: string;
  readonly version: string;
  /** For people: how long a build takes that has to download all. */
  readonly buildTime: string;
  readonly cacheKey: string;
  readonly programs: readonly GoProgram[];
  /** Further names of a program that acts by the name it is started under. */
  readonly aliases: readonly { readonly of: string; readonly names: readonly string[] }[];
}

interface SetDefinition extends Pick<ProgramSources, "title" | "buildTime" | "aliases"> {
  /** The folders whose files make the cache key. */
  readonly modules: readonly string[];
  /** Where the version is pinned that names the set. */
  readonly pin: Pin | undefined;
  renderPrograms(version: string, textOf: (file: string) => string): GoProgram[];
}

interface Pin {
  readonly file: string;
  readonly module: string;
}

const goSdk = "github.com/modelcontextprotocol/go-sdk";

const definitions: Readonly<Record<ProgramSet, SetDefinition>> = {
  "api-server": {
    title: "the test API server",
    buildTime: "about five minutes",
    modules: ["etcd", "kube"],
    pin: { file: "kube/go.mod", module: "k8s.io/kubernetes" },
    aliases: [{ of: "kube", names: ["kube-apiserver", "kube-controller-manager", "kubectl"] }],
    renderPrograms: (version) => [
      { output: "etcd", module: "etcd", arguments: compile("go.etcd.io/etcd/server/v3") },
      { output: "kube", module: "kube", arguments: compile(".", kubernetesStamp(version)) },
    ],
  },
  node: {
    title: "the test node",
    buildTime: "about six minutes",
    modules: ["containerd", "coredns", "node", "pause"],
    pin: { file: "node/go.mod", module: "k8s.io/kubernetes" },
    aliases: [{ of: "kube-node", names: ["kubelet", "kube-proxy", "kube-scheduler", "netpol", "cri"] }],
    renderPrograms: (version, textOf) => {
      const containerd = "github.com/containerd/containerd/v2";
      const stamp = {
        [`${containerd}/version.Version`]: parseVersion(textOf("containerd/go.mod"), {
          file: "containerd/go.mod",
          module: containerd,
        }),
      };
      return [
        ...["containerd", "containerd-shim-runc-v2", "ctr"].map((output) => ({
          output,
          module: "containerd",
          arguments: compile(`${containerd}/cmd/${output}`, stamp),
        })),
        { output: "coredns", module: "coredns", arguments: compile(".") },
        { output: "kube-node", module: "node", arguments: compile(".", kubernetesStamp(version)) },
        { output: "pause", module: "pause", arguments: compile(".") },
      ];
    },
  },
  chart: {
    title: "helm and kubeconform",
    buildTime: "about two minutes",
    modules: ["helm"],
    pin: { file: "helm/go.mod", module: "helm.sh/helm/v3" },
    aliases: [],
    renderPrograms: (version) => [
      {
        output: "helm",
        module: "helm",
        arguments: compile("helm.sh/helm/v3/cmd/helm", { "helm.sh/helm/v3/internal/version.version": version }),
      },
      { output: "kubeconform", module: "helm", arguments: compile("github.com/yannh/kubeconform/cmd/kubeconform") },
    ],
  },
  probe: {
    title: "the network probe",
    buildTime: "seconds",
    modules: ["probe"],
    pin: undefined,
    aliases: [],
    renderPrograms: () => [{ output: "probe", module: "probe", arguments: compile(".") }],
  },
  "go-sdk": {
    title: "clients and servers of the Go SDK of MCP",
    buildTime: "about a minute",
    modules: ["go-sdk"],
    pin: { file: "go-sdk/go.mod", module: goSdk },
    aliases: [],
    renderPrograms: () => [
      ...["everything", "memory", "sequentialthinking", "toolschemas"].map((output) => ({
        output,
        module: "go-sdk",
        arguments: compile(`${goSdk}/examples/server/${output}`),
      })),
      { output: "caller", module: "go-sdk", arguments: compile(".") },
    ],
  },
};

/** Reads the Go modules of a set in `dir`. Throws when one is missing or its version is not pinned. */
export async function readProgramSources(
  set: ProgramSet,
  dir = join(import.meta.dirname, "go"),
): Promise<ProgramSources> {
  const { title, buildTime, aliases, modules, pin, renderPrograms } = definitions[set];
  const files = (await Promise.all(modules.map((module) => readModule(dir, module)))).flat();
  const textOf = (name: string): string => files.find((file) => file.name === name)?.text ?? "";
  const version = pin === undefined ? "" : parseVersion(textOf(pin.file), pin);
  const programs = renderPrograms(version, textOf);
  const flags = { name: "flags", text: JSON.stringify(programs) };
  const label = [set === "api-server" ? "" : set, version].filter((part) => part !== "").join("-");
  const cacheKey = renderCacheKey(label, `${process.platform}-${process.arch}`, [...files, flags]);
  return { dir, title, version, buildTime, aliases, programs, cacheKey };
}

interface NamedText {
  readonly name: string;
  readonly text: string;
}

async function readModule(dir: string, module: string): Promise<NamedText[]> {
  const names = (await readdir(join(dir, module))).filter((name) => /^go\.(mod|sum)$|\.go$/.test(name)).toSorted();
  const read = async (name: string): Promise<NamedText> => ({
    name: `${module}/${name}`,
    text: await readFile(join(dir, module, name), "utf8"),
  });
  return Promise.all(names.map(read));
}

/** The cache folder's name, for example `v1.36.3-linux-x64-0123456789ab`. */
export function renderCacheKey(label: string, platform: string, inputs: readonly NamedText[]): string {
  const hash = createHash("sha256");
  for (const { name, text } of inputs) hash.update(JSON.stringify([name, text]));
  return `${label}-${platform}-${hash.digest("hex").slice(0, 12)}`;
}

/** The version of a module that a go.mod requires. */
export function parseVersion(goMod: string, { file, module }: Pin): string {
  const line = goMod.split("\n").find((each) =>
    each
      .trim()
      .replace(/^require /, "")
      .startsWith(`${module} v`),
  );
  const version = / (v\d+\.\d+\.\d+)( |$)/.exec(line ?? "")?.[1];
  if (version !== undefined) return version;
  throw new Error(`expected a line \`${module} vX.Y.Z\` in test/cluster/go/${file}, found none; pin one`);
}

function kubernetesStamp(version: string): Record<string, string> {
  const [major = "", minor = ""] = version.slice(1).split(".");
  const stamp = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: "clean",
    buildDate: "2026-01-01T00:00:00Z", // fixed, so that equal sources give equal bytes
  };
  return Object.fromEntries(
    Object.entries(stamp).map(([name, value]) => [`k8s.io/component-base/version.${name}`, value]),
  );
}

/** Arguments of `go build`; `stamp` gives values to variables. */
function compile(target: string, stamp: Readonly<Record<string, string>> = {}): string[] {
  const values = Object.entries(stamp).map(([name, value]) => `-X ${name}=${value}`);
  return ["-trimpath", "-ldflags", ["-s", "-w", ...values].join(" "), target];
}
