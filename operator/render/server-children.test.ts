// What the operator writes for a tool server, and that each secret is in the one container that needs it.
import type { V1Container, V1EnvVar } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { renderServerChildren } from "./server-children.ts";
import { golden, toYaml } from "./testing/golden.ts";
import { makeInstance, makeServer, releaseImages, resolved } from "./testing/resources.ts";

const secret = (key: string) => ({ valueFrom: { secretKeyRef: { name: "keys", key } } });
const packaged = {
  title: "Memory",
  package: { kind: "npm", name: "@modelcontextprotocol/server-memory", version: "2026.8.31", args: ["--quiet"] },
  env: [
    { name: "MEMORY_FILE", value: "graph.json" },
    { name: "TOKEN", ...secret("token") },
  ],
  egress: [{ host: "api.example.com" }, { host: "graph.tools.svc", port: 7687 }],
  sessions: { processes: "shared", max: 4, idleTtl: "1h" },
  tools: { deny: ["delete_*"] },
  pod: { labels: { team: "blue", "pallas.helu.ca/client": "true" }, nodeSelector: { disk: "ssd" } },
};
const contained = {
  container: {
    image: "registry.example/tools/git:2@sha256:" + "a".repeat(64),
    command: ["/usr/bin/mcp-git"],
    args: ["--repository", "$(HOME)/repo", "costs $5"],
  },
  env: [
    { name: "GIT_AUTHOR", value: "$(TOKEN) & co" },
    { name: "TOKEN", ...secret("git") },
  ],
  resources: { limits: { memory: "2Gi" } },
};
const remoteWithSecret = {
  remote: { url: "https://mcp.example.com/mcp", headers: [{ name: "Authorization", ...secret("remote") }] },
};
const remote = { remote: { url: "https://mcp.example.com/mcp", headers: [{ name: "X-Team", value: "blue" }] } };

const instanceWith = (spec: object = {}) =>
  makeInstance({ gateway: {}, imagePullSecrets: [{ name: "regcred" }], ...spec });
const childrenOf = (spec: object, instance = instanceWith()) =>
  renderServerChildren(resolved(makeServer("memory", spec), instance), releaseImages, {
    callers: ["scribe", "archivist"],
    metricsFrom: [],
  });
function rendered(spec: object, instance = instanceWith()) {
  const children = childrenOf(spec, instance);
  if (!children) throw new Error("expected children, found none");
  return children;
}
const podOf = (spec: object, instance = instanceWith()) => {
  const { deployment } = rendered(spec, instance);
  const pod = deployment.spec?.template.spec;
  if (!pod) throw new Error("expected a pod, found none");
  return pod;
};
const named = (containers: readonly V1Container[], name: string): V1Container => {
  const found = containers.find((each) => each.name === name);
  if (!found) throw new Error(`expected a container ${name}, found none`);
  return found;
};
const valueOf = ({ env = [] }: V1Container, name: string): V1EnvVar | undefined =>
  env.find((each) => each.name === name);

describe("DSC-6 rendering a tool server", () => {
  it.each([
    ["a package", "server-package", packaged],
    ["an image of its own", "server-container", contained],
    ["a remote one with a secret", "server-remote-secret", remoteWithSecret],
  ])("makes the children of %s as committed", async (_what, file, spec) => {
    await expect(toYaml(rendered(spec))).toMatchFileSnapshot(golden(file));
  });

  it("makes none for a remote one without secrets", () => {
    expect(childrenOf(remote)).toBeUndefined();
  });

  it("has one pod, and none while it is not active", () => {
    expect(rendered(packaged).deployment.spec?.replicas).toBe(1);
    expect(rendered({ ...packaged, active: false }).deployment.spec?.replicas).toBe(0);
  });

  it("rolls its pods for what its bridge reads, and not for its title", () => {
    const template = (spec: object) => rendered(spec).deployment.spec?.template;
    expect(template({ ...packaged, title: "Graph", description: "x", listed: true, pin: "block" })).toEqual(
      template(packaged),
    );
    expect(template({ ...packaged, timeout: "5s" })).not.toEqual(template(packaged));
  });

  it("has no policy where the instance has them switched off, and lets no author's label open a door", () => {
    const off = instanceWith({ agentDefaults: { networkPolicy: { enabled: false } } });
    expect(rendered(packaged, off).networkPolicy).toBeUndefined();
    const labels = rendered(packaged).deployment.spec?.template.metadata?.labels;
    expect(labels).toMatchObject({ team: "blue" });
    expect(labels).not.toHaveProperty("pallas.helu.ca/client");
  });
});

describe("SEC-2 the secrets of a tool server", () => {
  it("of a package are files of the keys named, in no variable and no ConfigMap", () => {
    const pod = podOf(packaged);
    expect(pod.containers.map(({ name }) => name)).toEqual(["bridge"]);
    expect(pod.volumes?.find(({ name }) => name === "secrets")?.projected?.sources).toEqual([
      { secret: { name: "keys", optional: true, items: [{ key: "token", path: "keys/token" }] } },
    ]);
    expect(JSON.stringify(named(pod.containers, "bridge").env)).not.toContain("keys");
  });

  it("of an image are variables of its own container, and nothing of them is in the bridge", () => {
    const { containers, initContainers = [], volumes } = podOf(contained);
    expect(valueOf(named(containers, "server"), "TOKEN")?.valueFrom).toEqual({
      secretKeyRef: { name: "keys", key: "git" },
    });
    const others = [named(containers, "bridge"), ...initContainers, ...(volumes ?? []), rendered(contained).runConfig];
    expect(JSON.stringify(others)).not.toMatch(/"keys"|\bgit\b.*TOKEN/);
  });

  it("of a remote one are files of the headers' keys", () => {
    const sources = podOf(remoteWithSecret).volumes?.find(({ name }) => name === "secrets")?.projected?.sources;
    expect(sources).toEqual([
      { secret: { name: "keys", optional: true, items: [{ key: "remote", path: "keys/remote" }] } },
    ]);
  });

  it("need no token: none is mounted, and no right is bound to its account", () => {
    for (const spec of [packaged, contained, remoteWithSecret]) {
      expect(podOf(spec).automountServiceAccountToken).toBe(false);
      expect(rendered(spec).serviceAccount.automountServiceAccountToken).toBe(false);
      expect(JSON.stringify(podOf(spec).volumes)).not.toContain("serviceAccountToken");
    }
  });
});

describe("DSC-6 a server with an image of its own", () => {
  it("takes its command and arguments as they are written, whatever the kubelet would make of a dollar sign", () => {
    const server = named(podOf(contained).containers, "server");
    expect(server.args).toEqual(["/usr/bin/mcp-git", "--repository", "$$(HOME)/repo", "costs $$5"]);
    expect(valueOf(server, "GIT_AUTHOR")?.value).toBe("$$(TOKEN) & co");
  });

  it("has the same user as its bridge, since both open the same pipes", () => {
    const { securityContext, containers, initContainers = [] } = podOf(contained);
    expect(securityContext).toMatchObject({ runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 });
    for (const { securityContext: own } of [...containers, ...initContainers]) {
      expect(own).not.toHaveProperty("runAsUser");
    }
  });

  it("has what was written for resources, and the bridge beside it little of its own", () => {
    const { containers } = podOf(contained);
    expect(named(containers, "server").resources?.limits).toEqual({ memory: "2Gi" });
    expect(named(containers, "bridge").resources?.limits).toEqual({ memory: "256Mi" });
  });
});

describe("SEC-1 every container of a tool server's pods", () => {
  it.each([
    ["a package", packaged],
    ["an image of its own", contained],
    ["a remote one with a secret", remoteWithSecret],
  ])("of %s is restricted, reads no more than it must, and is bounded", (_what, spec) => {
    const pod = podOf(spec);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    for (const { securityContext, resources } of [...(pod.initContainers ?? []), ...pod.containers]) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(resources?.limits).toHaveProperty("memory");
    }
    const folders = (pod.volumes ?? []).flatMap(({ emptyDir }) => emptyDir ?? []);
    expect(folders.filter(({ sizeLimit }) => sizeLimit === undefined)).toEqual([]);
  });
});
