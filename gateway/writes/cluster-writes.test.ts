// What a gateway writes, how, and what whoever asked learns when it cannot.
import { describe, expect, it } from "vitest";
import type { PallasAgent } from "../../crds/agent.ts";
import type { GatewayConfig } from "../../crds/gateway-config.ts";
import { kinds } from "../../crds/kinds.ts";
import type { PersonIdentity } from "../../lib/auth/roles.ts";
import { ApiError, TransportError } from "../../lib/kube/api-error.ts";
import type { Call } from "../../lib/kube/transport.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { createLogger } from "../../lib/process/log.ts";
import { parseAgent } from "../../plan/parse.ts";
import { createGatewayMetrics } from "../metrics.ts";
import { samplePolicy } from "../management/testing/questions.ts";
import { agentManifest, registrationManifestOf, serverManifestOf, serverResource } from "../testing/resources.ts";
import { createClusterWrites } from "./cluster-writes.ts";

const alice: PersonIdentity = {
  kind: "person",
  subject: "https://id.example.com alice",
  name: "https://id.example.com alice",
  groups: [],
  role: "admin",
};

function makeAgent(name: string, spec: object = {}): PallasAgent {
  const parsed = parseAgent(agentManifest(name, spec));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

interface Scene {
  management?: GatewayConfig["management"];
  answer?: () => unknown;
  isRegistered?: boolean;
}

const registration = (name: string, spec: object = {}) =>
  kinds.PallasRegistration.manifest.parse(registrationManifestOf(name, spec));

function open({ management = "readWrite", answer, isRegistered = false }: Scene = {}) {
  const calls: Call[] = [];
  const logs: Record<string, unknown>[] = [];
  const metrics = createGatewayMetrics(() => ({
    countSessions: () => 0,
    countInFlight: () => 0,
    countTroubles: () => 0,
    observeApprovals: () => ({ pending: 0, oldestMs: 0 }),
  }));
  const writesFor = createClusterWrites({
    transport: {
      request: async (call) => {
        calls.push(call);
        return answer === undefined
          ? { ...agentManifest("clerk"), metadata: { ...agentManifest("clerk").metadata, resourceVersion: "2" } }
          : answer();
      },
    },
    state: {
      namespace: "agents",
      instance: "ouranos",
      getAgent: (name) => (name === "clerk" ? makeAgent("clerk") : undefined),
      listServers: () => [{ name: "Memory", resource: serverResource("memory") }],
      getPolicy: (name) => (name === "careful" ? samplePolicy("careful") : undefined),
      listRegistrations: () => (isRegistered ? [registration("weather")] : []),
      onChange: () => () => undefined,
    },
    management,
    metrics,
    log: createLogger({ logger: "test", destination: { write: (line) => void logs.push(JSON.parse(line)) } }),
    clock: systemClock,
  });
  return { writes: writesFor(alice), calls, logs, metrics };
}

const refusal =
  (status: number, reason: string, message = "the server's words") =>
  () => {
    throw new ApiError({ status, reason, message });
  };

describe("MGM-3 a write", () => {
  it("creates by one call, without a status, as the gateway's own field manager", async () => {
    const { writes, calls } = open();
    const written = await writes.agents.create({ ...makeAgent("clerk", { title: "Clerk" }), status: { replicas: 7 } });
    expect(written.metadata.name).toBe("clerk");
    expect(calls).toMatchObject([
      {
        method: "POST",
        path: "/apis/pallas.helu.ca/v1alpha1/namespaces/agents/pallasagents",
        query: { fieldManager: "pallas-gateway", fieldValidation: "Strict" },
        body: { kind: "PallasAgent", spec: { title: "Clerk" } },
      },
    ]);
    expect(calls[0]?.body).not.toHaveProperty("status");
  });

  it("changes the very agent that is known, as it is known, and its spec alone", async () => {
    const { writes, calls } = open();
    await writes.agents.patch("clerk", { spec: { title: "Clerk" } });
    expect(calls).toMatchObject([
      {
        method: "PATCH",
        path: "/apis/pallas.helu.ca/v1alpha1/namespaces/agents/pallasagents/clerk",
        contentType: "application/json-patch+json",
        body: [
          { op: "test", path: "/metadata/uid", value: "uid-of-clerk" },
          { op: "test", path: "/metadata/generation", value: 1 },
          { op: "add", path: "/spec/title", value: "Clerk" },
        ],
      },
    ]);
    await expect(writes.agents.patch("clerk", { metadata: { labels: {} } })).rejects.toThrow("only the spec");
    await expect(writes.agents.patch("clerk", { status: {} })).rejects.toThrow("only the spec");
    expect(calls).toHaveLength(1);
  });

  it("puts rules in place of those of the very policy that is known", async () => {
    const { writes, calls } = open({ answer: () => samplePolicy("careful", { rules: [] }, 2) });
    const spec = { rules: [], default: null };
    expect((await writes.policies.patch("careful", { spec })).metadata.generation).toBe(2);
    expect(calls).toMatchObject([
      {
        path: "/apis/pallas.helu.ca/v1alpha1/namespaces/agents/pallaspolicies/careful",
        body: [
          { op: "test", path: "/metadata/uid", value: "uid-of-careful" },
          { op: "test", path: "/metadata/generation", value: 1 },
          { op: "add", path: "/spec/rules", value: [] },
        ],
      },
    ]);
    await expect(writes.policies.patch("gone", { spec })).rejects.toThrow('has no policy "gone"');
    const { writes: readOnly } = open({ management: "approve" });
    await expect(readOnly.policies.patch("careful", { spec })).rejects.toThrow("set it to readWrite");
  });

  it("deletes the very agent that is known", async () => {
    const { writes, calls } = open({ answer: () => undefined });
    await writes.agents.delete("clerk");
    expect(calls).toMatchObject([{ method: "DELETE", body: { preconditions: { uid: "uid-of-clerk" } } }]);
  });

  it("is in the log with who asked for it and as what, and is counted", async () => {
    const { writes, logs, metrics } = open();
    await writes.agents.patch("clerk", { spec: { title: "a secret plan" } });
    expect(logs).toMatchObject([
      {
        message: "agent written",
        operation: "patch",
        agent: "clerk",
        subject: alice.subject,
        role: "admin",
        outcome: "ok",
      },
    ]);
    expect(JSON.stringify(logs)).not.toContain("a secret plan");
    expect((await metrics.render()).body).toMatch(/^pallas_gateway_writes_total\{operation="patch",outcome="ok"\} 1$/m);
  });
});

const answered = (manifest: { metadata: object }) => ({
  answer: () => ({ ...manifest, metadata: { ...manifest.metadata, resourceVersion: "2" } }),
});

describe("DSC-6 a write of a server", () => {
  it("is that of an agent, with its own words", async () => {
    const { writes, calls, logs } = open(answered(serverManifestOf("memory")));
    await writes.servers.create(serverResource("memory"));
    await writes.servers.patch("memory", { spec: { active: false } });
    await writes.servers.delete("memory");
    expect(calls.map(({ method, path }) => `${method} ${path.split("/").slice(6).join("/")}`)).toEqual([
      "POST pallasservers",
      "PATCH pallasservers/memory",
      "DELETE pallasservers/memory",
    ]);
    expect(logs).toMatchObject([
      { message: "server written", operation: "create", server: "memory", subject: alice.subject },
      { message: "server written", operation: "patch" },
      { message: "server written", operation: "delete" },
    ]);
    await expect(writes.servers.patch("Memory", { spec: {} })).rejects.toThrow('has no server "Memory"');
    const closed = open({ management: "approve" });
    await expect(closed.writes.servers.delete("memory")).rejects.toMatchObject({ kind: "not-allowed" });
  });
});

describe("DIR-1 a write of a registration", () => {
  it("creates it, or puts its spec in place of the one that is known, whatever management says", async () => {
    const scene = { ...answered(registrationManifestOf("weather")), management: "approve" } as const;
    const fresh = open(scene);
    await fresh.writes.registrations.upsert(registration("weather"));
    expect(fresh.calls).toMatchObject([{ method: "POST" }]);
    const { writes, calls } = open({ ...scene, isRegistered: true });
    await writes.registrations.upsert(registration("weather", { description: "rain" }));
    expect(calls).toMatchObject([
      {
        method: "PATCH",
        body: [
          { op: "test", path: "/metadata/uid", value: "uid-of-weather" },
          { op: "test", path: "/metadata/generation", value: 1 },
          { op: "add", path: "/spec", value: { description: "rain", owner: "alice" } },
        ],
      },
    ]);
    const elsewhere = registration("weather", { instanceRef: { name: "gaia" } });
    await expect(writes.registrations.upsert(elsewhere)).rejects.toThrow('found one of "gaia"');
  });
});

describe("MGM-3 what is not written", () => {
  it("is anything where management is approve", async () => {
    const { writes, calls } = open({ management: "approve" });
    const tries = [
      writes.agents.create(makeAgent("clerk")),
      writes.agents.patch("clerk", { spec: {} }),
      writes.agents.delete("clerk"),
    ];
    for (const each of tries) await expect(each).rejects.toThrow(/management of instance "ouranos" is approve/);
    expect(calls).toEqual([]);
  });

  it("is an agent of another instance or namespace, or one that is not known", async () => {
    const { writes, calls } = open();
    const other = makeAgent("other", { instanceRef: { name: "gaia" } });
    const elsewhere = { ...makeAgent("other"), metadata: { ...makeAgent("other").metadata, namespace: "elsewhere" } };
    await expect(writes.agents.create(other)).rejects.toThrow('found one of "gaia"');
    await expect(writes.agents.create(elsewhere)).rejects.toThrow('in "elsewhere"');
    await expect(writes.agents.patch("nobody", { spec: {} })).rejects.toThrow('has no agent "nobody"');
    await expect(writes.agents.delete("nobody")).rejects.toThrow('has no agent "nobody"');
    expect(calls).toEqual([]);
  });

  it.each<[string, () => unknown, RegExp, string]>([
    ["a name that is taken", refusal(409, "AlreadyExists"), /there is an agent "clerk" already/, "refused"],
    ["one that was replaced", refusal(409, "Conflict"), /changed or replaced meanwhile/, "refused"],
    [
      "one that was replaced or changed, as a patch learns it",
      refusal(422, "Invalid", "the server rejected our request due to an error in our request (HTTP 422 Invalid)"),
      /changed or replaced meanwhile/,
      "refused",
    ],
    ["one that is gone", refusal(404, "NotFound"), /deleted meanwhile/, "refused"],
    ["one that breaks a rule", refusal(422, "Invalid"), /refused agent "clerk": the server's words/, "refused"],
    ["a right that is missing", refusal(403, "Forbidden"), /does not let this gateway/, "refused"],
    [
      "no answer",
      () => {
        throw new TransportError("reset", { cause: undefined });
      },
      /nobody knows whether/,
      "failed",
    ],
  ])("%s: a sentence, and a line of the log", async (_what, answer, sentence, outcome) => {
    const { writes, logs, metrics } = open({ answer });
    await expect(writes.agents.create(makeAgent("clerk"))).rejects.toThrow(sentence);
    await expect(writes.agents.create(makeAgent("clerk"))).rejects.toHaveProperty("name", "WriteRefused");
    expect(logs[0]).toMatchObject({ message: "agent not written", outcome, subject: alice.subject });
    expect((await metrics.render()).body).toContain(
      `pallas_gateway_writes_total{operation="create",outcome="${outcome}"} 2\n`,
    );
  });
});
