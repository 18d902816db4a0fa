// The chart without a cluster: what it renders, what it refuses, what is in the package, and that everything which is
// said twice (CRDs, rights, values, versions, plain manifests) is said alike.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump, load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packChart, renewGenerated } from "../../charts/build.ts";
import { listValues } from "../../charts/values-table.ts";
import { kinds } from "../../crds/kinds.ts";
import { operatorLabels } from "../../crds/names.ts";
import { parseEnvironment } from "../../operator/environment.ts";
import { renderRights } from "../rights/render-rights.ts";
import { limitsOf } from "../../plan/limit-variables.ts";
import { defaultLimits } from "../../plan/testing/resources.ts";
import { chartPath, parseManifests, renderChart, root, withValues, type Manifest } from "./rendered-chart.ts";
import { chartPrograms, chartProgramsMissing } from "./programs.ts";
import { valueSets } from "./value-sets.ts";

const readChart = (name: string) => readFile(join(chartPath, name), "utf8");

/** Without what other tests compare: schemas of CRDs, the contents of files/, and a policy that the set is not about. */
function shorten(manifest: Manifest, setName: string): object {
  const { apiVersion, kind, metadata } = manifest;
  switch (kind) {
    case "ValidatingAdmissionPolicy":
      return setName === "admission-policies" ? manifest : { apiVersion, kind, metadata };
    case "CustomResourceDefinition":
    case "PrometheusRule":
      return { apiVersion, kind, metadata };
    case "ConfigMap":
      return { apiVersion, kind, metadata, keys: Object.keys(manifest["data"] ?? {}) };
    default:
      return manifest;
  }
}

const isRbac = ({ kind }: Manifest) => /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind);
const nameless = ({ apiVersion, kind, metadata: { name, namespace } }: Manifest) =>
  [apiVersion, kind, namespace ?? "", name].join(" ");
/** Only what grants something. */
const rightsOf = (manifests: readonly Manifest[]) =>
  manifests
    .filter(isRbac)
    .map((manifest) => ({
      what: nameless(manifest),
      rules: manifest["rules"],
      roleRef: manifest["roleRef"],
      subjects: manifest["subjects"],
    }))
    .toSorted((a, b) => a.what.localeCompare(b.what));

describe.skipIf(await chartProgramsMissing())("the chart", () => {
  it("passes helm lint --strict with every set of values", async () => {
    for (const values of Object.values(valueSets)) {
      expect(await withValues(values, ["lint", "--strict", chartPath])).toContain("0 chart(s) failed");
    }
  });

  it.each(Object.keys(valueSets))("renders %s", async (name) => {
    const rendered = await renderChart(valueSets[name]);
    const text = rendered
      .map((manifest) => dump(shorten(manifest, name), { lineWidth: 120, noRefs: true }))
      .join("---\n");
    await expect(text).toMatchFileSnapshot(`golden/${name}.yaml`);
  });

  it("makes every object findable by its labels", async () => {
    for (const [name, values] of Object.entries(valueSets)) {
      for (const { kind, metadata } of await renderChart(values)) {
        expect([name, kind, metadata.labels]).toEqual([name, kind, expect.objectContaining(operatorLabels)]);
        expect(metadata.labels).toMatchObject({
          "app.kubernetes.io/instance": "pallas",
          "helm.sh/chart": "pallas-0.1.0",
        });
      }
    }
  });

  it("sets only variables that the operator reads, with values that it takes", async () => {
    const variables = new Set<string>();
    for (const values of Object.values(valueSets)) {
      const deployment = (await renderChart(values)).find(({ kind }) => kind === "Deployment");
      const env = parseEnv(deployment);
      parseEnvironment(Object.fromEntries(env));
      for (const [variable] of env) variables.add(variable);
    }
    const sources = ["operator/environment.ts", "plan/limit-variables.ts", "lib/process/log-variables.ts"];
    const source = (await Promise.all(sources.map((path) => readFile(join(root, path), "utf8")))).join("");
    const ours = [...variables].filter((variable) => variable.startsWith("PALLAS_"));
    expect(ours.length).toBeGreaterThan(7);
    for (const variable of ours) expect(source).toContain(`${variable}: `);
  });

  it("lets the image of each program be chosen, by digest too", async () => {
    const image = { repository: "a/b", digest: `sha256:${"0".repeat(64)}` };
    const rendered = await renderChart({
      imageRegistry: "r.example",
      images: { agent: image, registry: image, gateway: image, bridge: image },
    });
    const env = new Map(parseEnv(rendered.find(({ kind }) => kind === "Deployment")));
    for (const program of ["AGENT", "REGISTRY", "GATEWAY", "BRIDGE"]) {
      expect(env.get(`PALLAS_${program}_IMAGE`)).toBe(`r.example/a/b@${image.digest}`);
    }
  });

  it("SEC-2 lets authors set what is listed, and by default what an operator allows that is told nothing", async () => {
    const limitsBy = async (values?: object) => {
      const deployment = (await renderChart(values)).find(({ kind }) => kind === "Deployment");
      return limitsOf(parseEnvironment(Object.fromEntries(parseEnv(deployment))));
    };
    expect(await limitsBy()).toEqual(defaultLimits);
    const authors = { labels: ["team", "a/*"], annotations: ["*"], priorityClasses: ["high"], networkPolicy: "off" };
    expect((await limitsBy({ authors })).authors).toEqual(authors);
  });

  it.each([
    ["the whole cluster", undefined],
    ["listed namespaces", ["blue", "green"]],
  ])("OPR-9 SEC-1 grants for %s what operator/rights.ts says, and nothing else", async (_title, watched) => {
    const expected = renderRights({ name: "pallas-operator", namespace: "pallas-system", watched });
    const rendered = await renderChart({ watchNamespaces: watched ?? [] });
    expect(rightsOf(rendered)).toEqual(rightsOf(parseManifests(expected.map((object) => dump(object)).join("---\n"))));
  });

  it("OPR-9 with listed namespaces has nothing of the cluster's but CRDs and policies, and can do without", async () => {
    const wide = async (values: object) =>
      (await renderChart({ watchNamespaces: ["blue"], ...values }))
        .filter(({ metadata }) => metadata.namespace === undefined)
        .map(({ kind }) => kind);
    expect(new Set(await wide({}))).toEqual(
      new Set(["CustomResourceDefinition", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]),
    );
    const admissionPolicy = { secrets: { enabled: false }, approvals: { enabled: false } };
    expect(await wide({ crds: { enabled: false }, admissionPolicy })).toEqual([]);
  });

  it("OPR-9 releases of one name in two namespaces have no object in common", async () => {
    const values = { ...valueSets["admission-policies"], crds: { enabled: false } };
    const objectsIn = async (namespace: string) =>
      (await renderChart({ ...values, watchNamespaces: [`${namespace}-agents`] }, namespace)).map(nameless);
    const second = new Set(await objectsIn("two"));
    expect((await objectsIn("one")).filter((name) => second.has(name))).toEqual([]);
  });

  it("SEC-2 MGM-6 guards Secrets and approvals by default, and is refused by clusters that could not", async () => {
    const policies = (await renderChart()).filter(({ kind }) => kind === "ValidatingAdmissionPolicyBinding");
    expect(policies.map(({ metadata }) => metadata.name)).toEqual([
      "pallas-approvals.pallas-system",
      "pallas-secrets.pallas-system",
      "pallas-server-secrets.pallas-system",
    ]);
    const { helm } = await chartPrograms();
    const onOlder = helm(["template", "pallas", chartPath, "--kube-version=1.29.9"]);
    await expect(onOlder).rejects.toThrow("kubeVersion: >=1.30.0-0");
  });

  it("has the CRDs of crds/ to the letter, beside their labels and the word to keep them", async () => {
    const crds = (await renderChart()).filter(({ kind }) => kind === "CustomResourceDefinition");
    expect(crds.map(({ metadata }) => metadata.name)).toEqual(
      Object.values(kinds)
        .map(({ definition }) => `${definition.plural}.pallas.helu.ca`)
        .toSorted(),
    );
    for (const { metadata, ...rest } of crds) {
      const plural = metadata.name.split(".")[0];
      const [source] = parseManifests(await readFile(join(root, `crds/${plural}.yaml`), "utf8"));
      expect({ ...rest, metadata: { name: metadata.name } }).toEqual(source);
      expect(metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
    }
  });

  it("takes braces in a CRD for text", async () => {
    const dir = await mkdtemp(join(tmpdir(), "pallas-chart-braces-"));
    try {
      await cp(chartPath, dir, { recursive: true });
      const file = join(dir, "files/crds/pallasagents.yaml");
      const braces = "{{ .Release.Name }} {{ fail `read` }}";
      await writeFile(file, (await readFile(file, "utf8")).replace("description: ", `description: "${braces}" #`));
      const { helm } = await chartPrograms();
      expect(await helm(["template", "pallas", dir, "--kube-version=1.30.0"])).toContain(braces);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});

describe.skipIf(await chartProgramsMissing())("the chart's monitoring and values", () => {
  it("MET-5 refuses a PodMonitor that would count instances twice", async () => {
    const values = { monitoring: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } } };
    await expect(renderChart(values)).rejects.toThrow("Prometheus would count these twice");
  });

  it("MET-5 refuses alerts without a place for their runbooks, and fills it in", async () => {
    const prometheusRule = { enabled: true };
    await expect(renderChart({ monitoring: { prometheusRule } })).rejects.toThrow("expected monitoring.runbookBaseUrl");
    const [rule] = (
      await renderChart({ monitoring: { prometheusRule, runbookBaseUrl: "https://docs.example.com/runbooks/" } })
    ).filter(({ kind }) => kind === "PrometheusRule");
    const text = JSON.stringify(rule?.["spec"]);
    expect(text).toContain('"groups"');
    expect(text).toContain("https://docs.example.com/runbooks/");
    expect(text).not.toMatch(/RUNBOOK_BASE_URL|runbooks\/\//);
  });

  it("MET-5 lets a registry say whose a series is, and no agent's pod", async () => {
    const rendered = await renderChart({
      monitoring: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true, instances: ["a"] } },
    });
    const textOf = (name: string) =>
      JSON.stringify(rendered.find(({ kind, metadata }) => kind.endsWith("Monitor") && metadata.name === name));
    expect(textOf("pallas-registries")).toContain('"honorLabels":true');
    expect(textOf("pallas-agents")).toContain('"honorLabels":false');
    expect(textOf("pallas-agents")).toContain('"metricRelabelings":[{"action":"labeldrop","regex":"exported_agent"}]');
  });

  it("SEC-3 tells the operator where registries reach the API server", async () => {
    const rendered = await renderChart({ networkPolicy: { apiServerPorts: [8443, 443] } });
    const operator = JSON.stringify(rendered.find(({ kind }) => kind === "Deployment"));
    expect(operator).toContain('{"name":"PALLAS_API_SERVER_PORTS","value":"8443,443"}');
  });

  it("SEC-3 MET-5 tells the operator who may read metrics of gateways, and nothing where that is nobody", async () => {
    const told = async (metricsFrom: object[]) => {
      const rendered = await renderChart({ networkPolicy: { metricsFrom } });
      const env = parseEnv(rendered.find(({ kind }) => kind === "Deployment"));
      return parseEnvironment(Object.fromEntries(env)).PALLAS_METRICS_FROM;
    };
    const peers = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }];
    expect(await told(peers)).toEqual(peers);
    expect(await told([])).toEqual([]);
  });

  it("MET-2 names the registries' job as the published queries do", async () => {
    const rendered = await renderChart({
      monitoring: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true, instances: ["a"] } },
    });
    const jobs = rendered
      .filter(({ kind }) => kind.endsWith("Monitor"))
      .map((monitor) => [
        monitor.metadata.name,
        /targetLabel":"job","replacement":"([^"]+)|replacement":"([^"]+)","targetLabel":"job"/
          .exec(JSON.stringify(monitor))
          ?.slice(1)
          .find(Boolean),
      ]);
    expect(jobs).toEqual([
      ["pallas-bridges", "pallas-bridge"],
      ["pallas-gateways", "pallas-gateway"],
      ["pallas-agents", "pallas"],
      ["pallas-operator", "pallas-operator"],
      ["pallas-registries", "pallas"],
    ]);
  });

  it.each([
    ["a misspelt value", { replica: 3 }, "replica"],
    ["a misspelt value inside", { images: { operator: { repo: "x" } } }, "repo"],
    ["no replicas", { replicas: 0 }, "replicas"],
    ["a number as text", { maxRollouts: "10" }, "maxRollouts"],
    ["a level that is none", { logLevel: "verbose" }, "logLevel"],
    ["a digest that is none", { images: { agent: { digest: "sha256:12" } } }, "digest"],
    ["a namespace that is none", { watchNamespaces: ["Blue"] }, "watchNamespaces"],
    ["a namespace twice", { watchNamespaces: ["blue", "blue"] }, "watchNamespaces"],
    ["a comma in an allowed repository", { allowedImages: ["a,b"] }, "allowedImages"],
    ["a label of authors with a comma", { authors: { labels: ["a,b"] } }, "labels"],
    ["a level of policies that is none", { authors: { networkPolicy: "all" } }, "networkPolicy"],
    ["an interval without unit", { monitoring: { serviceMonitor: { interval: "30" } } }, "interval"],
    ["a runbook place that is no URL", { monitoring: { runbookBaseUrl: "docs" } }, "runbookBaseUrl"],
    ["a route without an instance", { route: { httpRoute: { enabled: true } } }, "instance"],
    ["an ingress without hosts", { route: { instance: "a", namespace: "b", ingress: { enabled: true } } }, "hosts"],
    ["an API server without ports", { networkPolicy: { apiServerPorts: [] } }, "apiServerPorts"],
  ])("refuses %s", async (_title, values, named) => {
    await expect(renderChart(values)).rejects.toThrow(named);
  });

  it("knows each value in the schema and gives each a default", async () => {
    const values = listValues(await readChart("values.yaml"), await readChart("values.schema.json"));
    expect(values.length).toBeGreaterThan(40);
    expect(values.filter(({ description }) => description === "")).toEqual([]);
    const schema: SchemaNode & { definitions: Record<string, SchemaNode> } = JSON.parse(
      await readChart("values.schema.json"),
    );
    const paths = new Set(values.map(({ path }) => path));
    const known = schemaPaths(schema, schema.definitions, "").filter((path) => path !== "global");
    expect(known.filter((path) => ![...paths].some((each) => each === path || path.startsWith(`${each}.`)))).toEqual(
      [],
    );
  });

  it("leaves no object of the schema open where fields are named", async () => {
    const schema: SchemaNode & { definitions: Record<string, SchemaNode> } = JSON.parse(
      await readChart("values.schema.json"),
    );
    expect(openObjects(schema, "")).toEqual([]);
  });

  it("has the version of the programs", async () => {
    const chart = load(await readChart("Chart.yaml"));
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    expect(chart).toMatchObject({ appVersion: version, version });
  });

  it("is in step with what is generated: CRDs, rights, README, plain manifests", async () => {
    const { helm } = await chartPrograms();
    expect(await renewGenerated(helm, true)).toEqual([]);
  });

  describe("as a package", () => {
    let out: string;
    beforeAll(async () => {
      out = await mkdtemp(join(tmpdir(), "pallas-chart-out-"));
    });
    afterAll(() => rm(out, { recursive: true, force: true }));

    it("is the same each time it is made", async () => {
      const { helm } = await chartPrograms();
      const pack = async (name: string, epochSeconds: number) =>
        readFile(await packChart({ helm, out: join(out, name), epochSeconds }));
      const first = await pack("first", 1_700_000_000);
      expect(first.equals(await pack("second", 1_700_000_000))).toBe(true);
      expect(first.equals(await pack("third", 1_700_000_001))).toBe(false);
    });

    it("renders what the folder renders, CRDs and alerts included", async () => {
      const { helm } = await chartPrograms();
      const path = await packChart({ helm, out, epochSeconds: 0 });
      const values = { ...valueSets["monitoring"] };
      const rendered = await withValues(values, [
        "template",
        "pallas",
        path,
        "--namespace=pallas-system",
        "--kube-version=1.30.0",
      ]);
      expect(parseManifests(rendered)).toEqual(await renderChart(values));
      expect(rendered.match(/^kind: (CustomResourceDefinition|PrometheusRule)$/gm)).toHaveLength(
        Object.keys(kinds).length + 1,
      );
    });
  });
});

interface SchemaNode {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly definitions?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: unknown;
  readonly $ref?: string;
}

function schemaPaths(node: SchemaNode, definitions: Readonly<Record<string, SchemaNode>>, path: string): string[] {
  const target = node.$ref === undefined ? node : definitions[node.$ref.replace("#/definitions/", "")];
  const below = Object.entries(target?.properties ?? {});
  if (below.length === 0) return [path];
  return below.flatMap(([name, inner]) => schemaPaths(inner, definitions, path === "" ? name : `${path}.${name}`));
}

function openObjects(node: SchemaNode, path: string): string[] {
  const inner = Object.entries({ ...node.properties, ...node.definitions, ...(node.items && { items: node.items }) });
  const isOpen = node.type === "object" && node.properties !== undefined && node.additionalProperties !== false;
  return [...(isOpen ? [path] : []), ...inner.flatMap(([name, each]) => openObjects(each, `${path}.${name}`))];
}

/** Names and values of the operator's environment; what the kubelet fills in has the name of its field. */
function parseEnv(deployment: Manifest | undefined): [string, string][] {
  const text = JSON.stringify(deployment?.["spec"]);
  const spec: {
    template: { spec: { containers: { env: { name: string; value?: string; valueFrom?: object }[] }[] } };
  } = JSON.parse(text);
  const [container] = spec.template.spec.containers;
  return (container?.env ?? []).map(({ name, value, valueFrom }) => [name, value ?? JSON.stringify(valueFrom)]);
}
