import { describe, expect, onTestFinished, test } from "vitest";
import { createApplier, deleteObject, getObject, type ApplyRequest } from "./apply.ts";
import { isControlledBy, type KubeObject, type LiveObject } from "./object.ts";
import { Conflict, Waiting } from "./outcome.ts";
import { writeStatus } from "./status.ts";
import { controllerReference } from "./testing/controller-reference.ts";
import { answerJson, answerStatus, FakeApiServer, widgetType } from "./testing/fake-api-server.ts";
import { silentLog } from "./testing/silent-log.ts";
import { createTransport } from "./transport.ts";

const theOwner: LiveObject = {
  apiVersion: "example.com/v1",
  kind: "Owner",
  metadata: { name: "o", namespace: "default", uid: "owner-uid", resourceVersion: "1" },
};
const signal = new AbortController().signal;

interface Child extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}

function child(spec: Child["spec"] = { color: "red", args: ["a"] }): Child {
  const metadata = { name: "c", namespace: "default", ownerReferences: [controllerReference(theOwner)] };
  return { apiVersion: "example.com/v1", kind: "Widget", metadata, spec };
}

async function setUp() {
  const fake = await FakeApiServer.start();
  const transport = createTransport({ kubeConfig: fake.kubeConfig(), userAgent: "test/1" });
  onTestFinished(async () => {
    await transport.close();
    await fake.stop();
  });
  const applier = createApplier({
    transport,
    fieldManager: "tester",
    hashAnnotation: "example.com/applied-hash",
    log: silentLog(),
  });
  const apply = (desired: KubeObject, live: LiveObject | undefined, more: Partial<ApplyRequest> = {}) =>
    applier.apply({
      type: widgetType,
      desired,
      live,
      ours: (found) => isControlledBy(found, theOwner),
      signal,
      ...more,
    });
  const read = async () => {
    const found = await getObject(transport, widgetType, { namespace: "default", name: "c" }, { signal });
    if (found === undefined) throw new Error("the child is missing");
    return found;
  };
  const writes = () => fake.seen("write").length;
  return { fake, transport, apply, read, writes };
}

describe("I6 OPR-2 unchanged input makes no write", () => {
  test("a missing child is created once, by server-side apply with our manager", async () => {
    const { fake, apply, read, writes } = await setUp();
    expect((await apply(child(), undefined)).action).toBe("created");
    const [write] = fake.seen("write");
    expect(write).toMatchObject({ method: "PATCH", headers: { "content-type": "application/apply-patch+yaml" } });
    expect(Object.fromEntries(write?.query ?? [])).toEqual({ fieldManager: "tester", force: "true" });
    const live = await read();
    for (let i = 0; i < 10; i += 1) expect((await apply(child(), live)).action).toBe("unchanged");
    expect(writes()).toBe(1);
  });

  test("an empty cache finds that the name is taken, and that nothing is to be done", async () => {
    const { fake, apply, read } = await setUp();
    await apply(child(), undefined);
    const before = await read();
    expect((await apply(child(), undefined)).action).toBe("unchanged");
    expect(await read()).toEqual(before);
    expect(fake.seen("write").map(({ body }) => body?.["metadata"])).toMatchObject([
      { resourceVersion: "1" },
      { resourceVersion: "1" },
    ]);
  });

  test("an empty cache and an outdated object of ours make one update", async () => {
    const { fake, apply } = await setUp();
    await apply(child(), undefined);
    expect((await apply(child({ color: "blue" }), undefined)).action).toBe("updated");
    expect(fake.get("c")?.["spec"]).toEqual({ color: "blue" });
  });

  test("the order of fields does not matter", async () => {
    const { apply, read } = await setUp();
    await apply(child({ a: 1, b: { c: 2, d: 3 } }), undefined);
    expect((await apply(child({ b: { d: 3, c: 2 }, a: 1 }), await read())).action).toBe("unchanged");
  });

  test("a form that the server insists on is written at most once more", async () => {
    const { fake, apply, read, writes } = await setUp();
    await apply(child({ size: "big" }), undefined);
    const normalise = () =>
      fake.next.other.push((response, { body }) => {
        const existing = fake.get("c");
        answerJson(
          response,
          200,
          fake.put("c", { ...existing, ...body, spec: { size: "BIG" } }, { metadata: { ...existing?.metadata } }),
        );
      });
    fake.put("c", { ...(await read()), spec: { size: "BIG" } }, { metadata: { ...(await read()).metadata } });
    const live = await read();
    normalise();
    expect((await apply(child({ size: "big" }), live)).action).toBe("updated");
    const settled = await read();
    expect((await apply(child({ size: "big" }), settled)).action).toBe("unchanged");
    expect(writes()).toBe(2);
    const edited = { ...settled, spec: { size: "small" } };
    expect((await apply(child({ size: "big" }), edited)).action).toBe("updated");
  });
});

describe("OPR-5 what differs is written", () => {
  test.each<[string, Child, Record<string, unknown>]>([
    ["a changed desire", child({ color: "blue", args: ["a"] }), {}],
    ["a field no longer desired", child({ args: ["a"] }), {}],
    ["a value edited by hand", child(), { spec: { color: "green", args: ["a"] } }],
    ["a list extended by hand", child(), { spec: { color: "red", args: ["a", "b"] } }],
    ["a field removed by hand", child(), { spec: { args: ["a"] } }],
  ])("%s", async (_title, desired, edit) => {
    const { fake, apply, read, writes } = await setUp();
    await apply(child(), undefined);
    const live = await read();
    expect((await apply(desired, { ...live, ...edit })).action).toBe("updated");
    expect(writes()).toBe(2);
    expect(fake.seen("write")[1]?.body).toMatchObject({ metadata: { uid: live.metadata.uid } });
  });

  test("fields that others added are left alone", async () => {
    const { apply, read } = await setUp();
    await apply(child(), undefined);
    const live = await read();
    const seen = { ...live, status: { ready: true }, spec: { color: "red", args: ["a"], defaulted: 1 } };
    expect((await apply(child(), seen)).action).toBe("unchanged");
  });
});

describe("I8 OPR-5 what is not ours is never touched", () => {
  test.each([
    ["in the cache", true],
    ["unknown to the cache", false],
  ])("a foreign object with our name, %s", async (_title, cached) => {
    const { fake, apply, read, writes } = await setUp();
    const theirs = fake.put("c", { spec: { color: "theirs" } });
    const live = cached ? await read() : undefined;
    await expect(apply(child(), live)).rejects.toThrow(Conflict);
    expect(fake.get("c")).toBe(theirs);
    expect(writes()).toBe(cached ? 0 : 1);
  });

  test("a foreign object that is made in the instant before our creation", async () => {
    const { fake, apply } = await setUp();
    fake.next.other.push((response) => {
      fake.put("c", { spec: { color: "theirs" } });
      answerStatus(409, "Conflict")(response);
    });
    await expect(apply(child(), undefined)).rejects.toThrow(Conflict);
    expect(fake.get("c")?.["spec"]).toEqual({ color: "theirs" });
  });

  test("a name that is taken and free again is left to the next reconcile", async () => {
    const { fake, apply, writes } = await setUp();
    fake.next.other.push(answerStatus(409, "Conflict"));
    await expect(apply(child(), undefined)).rejects.toMatchObject({ status: 409 });
    expect(writes()).toBe(1);
  });

  test("the child of a former owner of the same name is foreign", async () => {
    const { fake, apply } = await setUp();
    const former = { ...controllerReference(theOwner), uid: "former-uid" };
    fake.put("c", {}, { metadata: { ownerReferences: [former] } });
    await expect(apply(child(), undefined)).rejects.toMatchObject({ reason: "NameConflict" });
  });

  test("a child that was replaced behind a stale cache is not written", async () => {
    const { fake, apply, read } = await setUp();
    await apply(child(), undefined);
    const stale = await read();
    fake.remove("c");
    fake.put("c", { spec: { color: "theirs" } });
    await expect(apply(child({ color: "blue" }), stale)).rejects.toMatchObject({ status: 422 });
    expect(fake.get("c")?.["spec"]).toEqual({ color: "theirs" });
  });

  test("a child that is being deleted is waited for", async () => {
    const { apply, read, writes } = await setUp();
    await apply(child(), undefined);
    const live = await read();
    const terminating = { ...live, metadata: { ...live.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    await expect(apply(child({ color: "blue" }), terminating)).rejects.toThrow(Waiting);
    expect(writes()).toBe(1);
  });
});

describe("OPR-7 a last look before a write", () => {
  test.each(["create", "update"])("that throws prevents the %s", async (action) => {
    const { fake, apply, read, writes } = await setUp();
    if (action === "update") await apply(child(), undefined);
    const live = action === "update" ? await read() : undefined;
    const before = writes();
    const looks: string[] = [];
    const beforeWrite = async (what: string) => {
      looks.push(what);
      throw new Waiting({ reason: "CacheBehind", message: "look again", retryMs: 1 });
    };
    await expect(apply(child({ color: "blue" }), live, { beforeWrite })).rejects.toThrow("look again");
    expect([looks, writes()]).toEqual([[action], before]);
    expect(fake.get("c")?.["spec"]).toEqual(live?.["spec"]);
  });
});

describe("deletion", () => {
  test("I8 deletes the object that was judged, and none that has taken its name", async () => {
    const { fake, transport, apply, read } = await setUp();
    await apply(child(), undefined);
    const judged = await read();
    fake.remove("c");
    fake.put("c", { spec: { color: "theirs" } });
    expect(await deleteObject(transport, widgetType, judged, { signal })).toBe("replaced");
    expect(fake.get("c")?.["spec"]).toEqual({ color: "theirs" });
    fake.remove("c");
    expect(await deleteObject(transport, widgetType, judged, { signal })).toBe("gone");
  });

  test("a change of it, such as a controller's of its status, does not stop the deletion", async () => {
    const { fake, transport, apply, read } = await setUp();
    await apply(child(), undefined);
    const judged = await read();
    fake.put("c", { ...judged, status: { currentHealthy: 1 } });
    expect(await deleteObject(transport, widgetType, judged, { signal })).toBe("deleted");
    expect(fake.get("c")).toBeUndefined();
  });
});

describe("OPR-5 the key of an element that was edited by hand", () => {
  const ports = (port: number) => ({ spec: { ports: [{ name: "mcp", port, protocol: "TCP" }] } });
  const desired = { ...child(), ...ports(8080) };

  test("is given back where the server refuses to have two of one name", async () => {
    const { fake, apply, read } = await setUp();
    await apply(desired, undefined);
    fake.put("c", { ...(await read()), ...ports(8081) }, { metadata: { ...(await read()).metadata } });
    const edited = await read();
    fake.next.other.push(answerStatus(422, "Invalid"), (response, { body }) => {
      expect(body).toEqual([
        { op: "test", path: "/metadata/uid", value: edited.metadata.uid },
        { op: "replace", path: "/metadata/resourceVersion", value: edited.metadata.resourceVersion },
        { op: "replace", path: "/spec/ports/0/port", value: 8080 },
      ]);
      answerJson(response, 200, {});
    });
    expect((await apply(desired, edited)).action).toBe("updated");
    expect(fake.get("c")).toMatchObject(ports(8080));
  });

  test.each([
    ["another field was edited", { spec: { ports: [{ name: "mcp", port: 8080, protocol: "TCP", nodePort: 1 }] } }, 422],
    ["what was refused is no invalid object", ports(8081), 403],
  ])("is not touched when %s", async (_title, edit, status) => {
    const { fake, apply, read, writes } = await setUp();
    await apply(desired, undefined);
    const live = { ...(await read()), ...edit, metadata: { ...(await read()).metadata, annotations: {} } };
    fake.next.other.push(answerStatus(status, "Refused"));
    await expect(apply(desired, live)).rejects.toMatchObject({ status });
    expect(writes()).toBe(2);
  });
});

describe("I9 status", () => {
  test("is not written when the last look before it throws", async () => {
    const { fake, transport, read, writes } = await setUp();
    fake.put("c");
    const live = await read();
    const beforeWrite = () => Promise.reject(new Waiting({ reason: "CacheBehind", message: "look again", retryMs: 1 }));
    const request = { type: widgetType, live, status: { ready: 1 }, fieldManager: "tester", beforeWrite, signal };
    await expect(writeStatus(transport, request)).rejects.toThrow("look again");
    expect(writes()).toBe(0);
  });

  test("is written through its subresource, only when it differs, and not to what is gone", async () => {
    const { fake, transport, read } = await setUp();
    fake.put("c", { status: { ready: 1 } });
    const live = await read();
    const write = (status: object) =>
      writeStatus(transport, { type: widgetType, live, status, fieldManager: "tester", signal });
    expect(await write({ ready: 1 })).toBe("unchanged");
    expect(fake.seen("write")).toHaveLength(0);
    expect(await write({ ready: 2 })).toBe("written");
    const [seen] = fake.seen("write");
    expect(seen?.path).toBe("/apis/example.com/v1/namespaces/default/widgets/c/status");
    expect(seen?.headers.accept).toContain("as=PartialObjectMetadata");
    expect(seen?.body).toEqual({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "c", namespace: "default", uid: live.metadata.uid },
      status: { ready: 2 },
    });
    fake.remove("c");
    fake.next.other.push((response) =>
      answerJson(response, 404, { kind: "Status", code: 404, reason: "NotFound", message: "gone" }),
    );
    expect(await write({ ready: 3 })).toBe("gone");
  });
});
