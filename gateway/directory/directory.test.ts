// Registering, changing and removing over HTTP: who may, what stays, what is written, and what is refused.
import { describe, expect, it } from "vitest";
import { sampleAgent } from "../../plan/testing/resources.ts";
import { agent, card, endpoint } from "./testing/bodies.ts";
import { createMemoryStore, createTestDirectory } from "./testing/directory.ts";

const unknownId = "00000000-0000-8000-8000-000000000000";

describe("DIR-1 registering by name", () => {
  it("takes the place of what its owner registered by that name, whose ids stay", async () => {
    const { ask, json, clock } = createTestDirectory();
    const first = await json("POST", "/agents", agent({ labels: { team: "a" } }), { status: 201 });
    await clock.advance(1_000);
    const response = await ask(
      "POST",
      "/agents",
      agent({ description: "New", endpoints: [endpoint({ name: "second" }), endpoint()] }),
    );
    expect(response.status).toBe(200);
    const second = await response.json();
    expect(second).toMatchObject({ id: first.id, description: "New", labels: {}, createdAt: first.createdAt });
    expect(second.updatedAt).not.toBe(first.updatedAt);
    expect(second.endpoints).toMatchObject([{ name: "second" }, { name: "primary", id: first.endpoints[0].id }]);
    expect((await json("GET", "/discover/agents")).totalCount).toBe(1);
  });

  it("has the same id again after it was removed", async () => {
    const { ask, json } = createTestDirectory();
    const { id } = await json("POST", "/agents", agent());
    expect((await ask("DELETE", `/agents/${id}`)).status).toBe(204);
    expect((await ask("GET", `/agents/${id}`)).status).toBe(404);
    expect((await json("POST", "/agents", agent(), { status: 201 })).id).toBe(id);
  });

  it("writes nothing where it says the same again, which counts as a beat", async () => {
    const { json, store, clock } = createTestDirectory();
    await json("POST", "/agents", agent());
    await clock.advance(25_001);
    expect((await json("GET", "/discover/agents")).totalCount).toBe(0);
    await json("POST", "/agents", agent());
    expect((await json("GET", "/discover/agents")).totalCount).toBe(1);
    expect(store.writes()).toBe(1);
  });

  it("is one registration when many do so at once", async () => {
    const { json, ask } = createTestDirectory();
    const names = Array.from({ length: 8 }, (_, number) => `e${number}`);
    const statuses = await Promise.all(
      names.map(async (name) => (await ask("POST", "/agents", agent({ endpoints: [endpoint({ name })] }))).status),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect((await json("GET", "/discover/agents")).totalCount).toBe(1);
  });

  it("takes what clients of other directories send: null for what is absent, numbers for words", async () => {
    const { json } = createTestDirectory();
    const numbered = endpoint({
      transport: 0,
      protocol: 2,
      livenessModel: 0,
      ttlSeconds: 300,
      heartbeatIntervalSeconds: null,
      protocolMetadata: null,
    });
    const body = { name: "Numbers", description: null, labels: null, capabilities: null, endpoints: [numbered] };
    expect((await json("POST", "/agents", body)).endpoints).toMatchObject([
      {
        transport: "Http",
        protocol: "MCP",
        livenessModel: "Ephemeral",
        ttlSeconds: 300,
        heartbeatIntervalSeconds: null,
      },
    ]);
  });
});

describe("DIR-1 PUT of an agent", () => {
  it("renames it and keeps its id, its endpoints and what it can do", async () => {
    const { json } = createTestDirectory();
    const { id, endpoints } = await json("POST", "/agents", agent({ capabilities: [{ name: "sum" }] }));
    const changed = await json("PUT", `/agents/${id}`, { name: "Climate", description: "d", labels: { a: "b" } });
    expect(changed).toMatchObject({
      id,
      name: "Climate",
      description: "d",
      labels: { a: "b" },
      endpoints,
      capabilities: [{ name: "sum" }],
    });
    expect(await json("PUT", `/agents/${id}`, { name: "Climate", endpoints: [], capabilities: [] })).toMatchObject({
      ...{ description: null, labels: {}, endpoints: [], capabilities: [] },
    });
    // Its first name is free again.
    const { id: other } = await json("POST", "/agents", agent(), { status: 201 });
    expect(other).not.toBe(id);
    expect(await json("PUT", `/agents/${other}`, agent({ name: "Climate" }), { status: 409 })).toMatchObject({
      error: "conflict",
    });
  });
});

describe("DIR-1 endpoints of an agent", () => {
  it("are added, read, changed and removed, each by its id", async () => {
    const { ask, json } = createTestDirectory();
    const { id } = await json("POST", "/agents", agent());
    const added = await json(
      "POST",
      `/agents/${id}/endpoints`,
      endpoint({ name: "queue", transport: "Amqp", address: "q" }),
      { status: 201 },
    );
    expect(added).toMatchObject({ name: "queue", isLive: true, liveness: "live" });
    const path = `/agents/${id}/endpoints/${added.id}`;
    expect(await json("GET", path, undefined, { as: "viewer" })).toEqual(added);
    expect(await json("PUT", path, endpoint({ name: "renamed" }))).toMatchObject({
      id: added.id,
      name: "renamed",
      transport: "Http",
    });
    expect((await json("GET", `/agents/${id}`)).endpoints).toHaveLength(2);
    expect((await ask("DELETE", path)).status).toBe(204);
    expect((await ask("GET", path)).status).toBe(404);
    expect((await json("GET", `/agents/${id}`)).endpoints).toMatchObject([{ name: "primary" }]);
  });

  it("have names of their own, and ids that are there", async () => {
    const { ask, json } = createTestDirectory();
    const { id } = await json("POST", "/agents", agent());
    await json("POST", `/agents/${id}/endpoints`, endpoint(), { status: 409 });
    const { id: second } = await json("POST", `/agents/${id}/endpoints`, endpoint({ name: "second" }));
    await json("PUT", `/agents/${id}/endpoints/${second}`, endpoint(), { status: 409 });
    await json("PUT", `/agents/${id}/endpoints/none`, endpoint({ name: "third" }), { status: 404 });
    expect((await ask("DELETE", `/agents/${id}/endpoints/none`)).status).toBe(404);
    await json("POST", "/agents", agent({ endpoints: [endpoint(), endpoint()] }), { status: 422 });
  });

  it("are all kept when many add one at once", async () => {
    const { json } = createTestDirectory();
    const { id } = await json("POST", "/agents", agent({ endpoints: [] }));
    await Promise.all(
      Array.from(
        { length: 8 },
        async (_, number) => await json("POST", `/agents/${id}/endpoints`, endpoint({ name: `e${number}` })),
      ),
    );
    expect((await json("GET", `/agents/${id}`)).endpoints).toHaveLength(8);
  });

  it("are 32 at most", async () => {
    const { json } = createTestDirectory();
    const many = (count: number) =>
      agent({ endpoints: Array.from({ length: count }, (_, number) => endpoint({ name: `e${number}` })) });
    const { id } = await json("POST", "/agents", many(32));
    expect((await json("POST", "/agents", many(33), { status: 422 })).message).toMatch(/^endpoints: /);
    expect((await json("POST", `/agents/${id}/endpoints`, endpoint(), { status: 422 })).message).toMatch(
      /^endpoints: /,
    );
  });
});

describe("DIR-2 beats", () => {
  it("keep an endpoint alive and write nothing", async () => {
    const { ask, json, clock, store } = createTestDirectory();
    const { id, endpoints } = await json("POST", "/agents", agent());
    const beat = async (as?: string) =>
      (await ask("POST", `/agents/${id}/endpoints/${endpoints[0].id}/heartbeat`, undefined, as)).status;
    for (let times = 0; times < 10; times += 1) {
      await clock.advance(25_000);
      expect(await beat(times % 2 === 0 ? "caller" : "admin")).toBe(204);
    }
    expect((await json("GET", "/discover/agents")).totalCount).toBe(1);
    await clock.advance(25_001);
    expect((await json("GET", "/discover/agents")).totalCount).toBe(0);
    expect((await json("GET", "/discover/agents?liveOnly=false")).items[0].endpoints).toMatchObject([
      { isLive: false, liveness: "dead" },
    ]);
    expect(store.writes()).toBe(1);
  });

  it("of the wrong model are 400, which names the right one", async () => {
    const { json } = createTestDirectory();
    const ephemeral = endpoint({ name: "e", livenessModel: "Ephemeral", heartbeatIntervalSeconds: undefined });
    const { id, endpoints } = await json("POST", "/agents", agent({ endpoints: [endpoint(), ephemeral] }));
    const wrong = async (position: number, way: string) =>
      await json("POST", `/agents/${id}/endpoints/${endpoints[position].id}/${way}`, undefined, { status: 400 });
    expect((await wrong(0, "renew")).message).toMatch(/is Persistent: use \/heartbeat/);
    expect((await wrong(1, "heartbeat")).message).toMatch(/is Ephemeral: use \/renew/);
  });

  it("of nothing that is there are 404", async () => {
    const { ask, json } = createTestDirectory();
    const { id } = await json("POST", "/agents", agent());
    expect((await ask("POST", `/agents/${unknownId}/endpoints/x/heartbeat`)).status).toBe(404);
    expect((await ask("POST", `/agents/${id}/endpoints/x/heartbeat`)).status).toBe(404);
  });

  it("are unknown after a restart, which takes nobody out who still beats", async () => {
    const store = createMemoryStore();
    const before = createTestDirectory({ store });
    const { id, endpoints } = await before.json("POST", "/agents", agent());
    const { json, ask, clock } = createTestDirectory({ store });
    const liveness = async () => (await json("GET", `/agents/${id}`)).endpoints[0].liveness;
    expect(await liveness()).toBe("unknown");
    await clock.advance(25_000);
    expect(await liveness()).toBe("unknown");
    await clock.advance(1);
    expect(await liveness()).toBe("dead");
    await ask("POST", `/agents/${id}/endpoints/${endpoints[0].id}/heartbeat`);
    expect(await liveness()).toBe("live");
  });

  it("count from when an endpoint came, though nobody has asked since", async () => {
    const other = createTestDirectory();
    await other.json("POST", "/agents", agent());
    const { store, clock, json } = createTestDirectory();
    store.set(other.store.list());
    await clock.advance(26_002);
    expect((await json("GET", "/discover/agents")).totalCount).toBe(0);
  });
});

describe("DIR-1 who may", () => {
  it.each([
    ["POST", "", () => agent()],
    ["PUT", "", () => agent()],
    ["DELETE", "", () => undefined],
    ["POST", "/endpoints", () => endpoint({ name: "b" })],
    ["PUT", "/endpoints/{eid}", () => endpoint()],
    ["DELETE", "/endpoints/{eid}", () => undefined],
    ["POST", "/endpoints/{eid}/heartbeat", () => undefined],
  ])("%s /agents/{id}%s is for its owner and admins", async (method, path, body) => {
    const { ask, json, store } = createTestDirectory();
    const { id, endpoints } = await json("POST", "/agents", agent());
    const at = method === "POST" && path === "" ? "/agents" : `/agents/${id}${path.replace("{eid}", endpoints[0].id)}`;
    for (const as of ["other", "former", "viewer", "nobody", "clerk", "operator"]) {
      expect((await ask(method, at, body(), as)).status, as).toBe(403);
    }
    expect(store.writes()).toBe(1);
    expect((await ask(method, at, body(), "admin")).ok).toBe(true);
  });

  it("renewing an Ephemeral endpoint is for its owner and admins", async () => {
    const { ask, json } = createTestDirectory();
    const ephemeral = endpoint({ livenessModel: "Ephemeral", heartbeatIntervalSeconds: undefined });
    const { id, endpoints } = await json("POST", "/agents", agent({ endpoints: [ephemeral] }));
    const renew = async (as: string) =>
      (await ask("POST", `/agents/${id}/endpoints/${endpoints[0].id}/renew`, undefined, as)).status;
    expect(await Promise.all(["other", "clerk", "caller", "admin"].map(renew))).toEqual([403, 403, 204, 204]);
  });

  it("an admin who changes it does not become its owner", async () => {
    const { json } = createTestDirectory();
    await json("POST", "/agents", agent());
    expect(await json("POST", "/agents", agent({ description: "d" }), { as: "admin" })).toMatchObject({
      ownerId: "person caller",
    });
    expect(
      await json(
        "POST",
        "/mcp/servers",
        { serverCard: card({ serverInfo: { name: "Weather" } }) },
        { as: "other", status: 403 },
      ),
    ).toMatchObject({ error: "forbidden" });
  });

  it("reading takes the role viewer", async () => {
    const { ask, json } = createTestDirectory();
    const { id } = await json("POST", "/agents", agent());
    const paths = [`/agents/${id}`, "/discover/agents", "/mcp/servers", `/mcp/servers/${id}`];
    for (const path of paths) {
      for (const as of ["nobody", "clerk"]) {
        expect((await ask("GET", path, undefined, as)).status, `${path} ${as}`).toBe(403);
      }
    }
    expect(await Promise.all(paths.map(async (path) => (await ask("GET", path, undefined, "viewer")).status))).toEqual([
      200, 200, 200, 404,
    ]);
  });
});

describe("DIR-2 DIR-3 what the instance runs itself", () => {
  const condition = (status: "True" | "False") => ({
    conditions: [{ type: "Ready", status, reason: "r", message: "m", lastTransitionTime: "2026-01-01T00:00:00Z" }],
  });
  const clerk = (status: "True" | "False") => ({
    ...sampleAgent("clerk", { description: "Files papers." }),
    status: { ...condition(status), url: "http://clerk.agents.svc:8080/mcp" },
  });

  it("is listed beside what was registered, alive by its readiness and by no heartbeat", async () => {
    const { json, ask, own, clock } = createTestDirectory();
    own.agents = [clerk("True")];
    await json("POST", "/agents", agent());
    const { items } = await json("GET", "/discover/agents");
    expect(items).toMatchObject([
      { name: "Weather" },
      {
        name: "clerk",
        ownerId: null,
        capabilities: [{ name: "send_message", tags: ["tool", "mcp", "agent"] }],
        endpoints: [
          { address: "http://clerk.agents.svc:8080/mcp", livenessModel: "Readiness", isLive: true, liveness: "live" },
        ],
      },
    ]);
    const { id, endpoints } = items[1];
    expect(await json("GET", `/mcp/servers/${id}`)).toMatchObject({
      id,
      isLive: true,
      serverInfo: { name: "clerk", version: "1.0.0" },
    });
    await clock.advance(1_000_000);
    expect((await json("GET", "/discover/agents")).items).toMatchObject([{ name: "clerk" }]);
    for (const way of ["heartbeat", "renew"]) {
      expect((await ask("POST", `/agents/${id}/endpoints/${endpoints[0].id}/${way}`)).status).toBe(400);
    }
    own.agents = [clerk("False")];
    expect((await json("GET", "/discover/agents")).totalCount).toBe(0);
    expect((await json("GET", `/mcp/servers/${id}`)).isLive).toBe(false);
  });

  it("is changed by its manifest alone, by admins too", async () => {
    const { json, own } = createTestDirectory();
    own.agents = [clerk("True")];
    const { id } = (await json("GET", "/discover/agents")).items[0];
    const answer = await json("PUT", `/agents/${id}`, agent(), { as: "admin", status: 403 });
    expect(answer.message).toBe('"clerk" is a PallasAgent of this instance: change its manifest');
  });
});

describe("DIR-4 what was registered by its card", () => {
  it("is changed by its card alone, and keeps its id", async () => {
    const { json, ask } = createTestDirectory();
    const { id } = await json("POST", "/mcp/servers", { serverCard: card() }, { status: 201 });
    const changed = await json(
      "POST",
      "/mcp/servers",
      { serverCard: card({ tools: [{ name: "t" }] }) },
      { status: 200 },
    );
    expect(changed).toMatchObject({ id, tools: [{ name: "t" }] });
    for (const [method, path] of [
      ["PUT", ""],
      ["POST", "/endpoints"],
    ] as const) {
      expect((await ask(method, `/agents/${id}${path}`, path === "" ? agent() : endpoint())).status).toBe(409);
    }
    expect((await json("POST", "/agents", { name: "Cards" }, { status: 200 })).id).toBe(id);
    expect((await ask("GET", `/mcp/servers/${id}`)).status).toBe(404);
  });

  it("has the one endpoint of its card, which beats every 30 s", async () => {
    const { json, clock } = createTestDirectory();
    const { id } = await json("POST", "/mcp/servers", { serverCard: card() });
    await clock.advance(75_000);
    expect((await json("GET", `/mcp/servers/${id}`)).isLive).toBe(true);
    await clock.advance(1);
    expect((await json("GET", `/mcp/servers/${id}`)).isLive).toBe(false);
    expect((await json("GET", "/mcp/servers?liveOnly=false")).totalCount).toBe(1);
  });
});
