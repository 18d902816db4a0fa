// Which servers an instance has, by which names, and where they are called.
import { describe, expect, it } from "vitest";
import { sampleInstance } from "../../plan/testing/resources.ts";
import { serverResource } from "../testing/resources.ts";
import { collectServers, findAddress } from "./servers.ts";

const url = "http://tools.example.com/mcp";
const secret = { name: "Authorization", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } };
const at = (creationTimestamp: string) => ({ creationTimestamp });
const addressOf = (spec: object, status?: object) =>
  findAddress({ name: "m", resource: serverResource("m", spec, { status }) });

describe("DSC-6 the servers of an instance", () => {
  it("are its resources and those of its spec, by the names that agents use", () => {
    const instance = sampleInstance({ servers: [{ name: "argos", url }] });
    const { list, get } = collectServers(instance, [serverResource("memory", { serverName: "Memory.v2" })]);
    expect(list.map(({ name }) => name)).toEqual(["Memory.v2", "argos"]);
    expect([get("argos")?.inline?.url, get("Memory.v2")?.resource?.metadata.name]).toEqual([url, "memory"]);
    expect(get("memory")).toBeUndefined();
  });

  it("have one name each: the earlier has it, and one of the instance's spec before all", () => {
    const late = serverResource("a-late", { serverName: "memory" }, at("2026-11-02T00:00:00Z"));
    const early = serverResource("z-early", { serverName: "memory" }, at("2026-11-01T00:00:00Z"));
    expect(collectServers(undefined, [late, early]).get("memory")?.resource?.metadata.name).toBe("z-early");
    const instance = sampleInstance({ servers: [{ name: "memory", url }] });
    expect(collectServers(instance, [late, early]).list).toMatchObject([{ name: "memory", inline: { url } }]);
  });
});

describe("DSC-6 where a server is called", () => {
  it("is its own address where it is remote and nothing of it is secret", () => {
    const headers = [{ name: "X-Team", value: "blue" }];
    expect(addressOf({ remote: { url, headers, forwardInboundAuth: true } })).toEqual({
      url,
      headers,
      forwardInboundAuth: true,
    });
  });

  it("is what stands before it, once that is there, and nowhere while it is not started", () => {
    const status = { url: "http://m-server.agents.svc:8080/mcp" };
    const bridged = { url: status.url, headers: [], forwardInboundAuth: false };
    const npm = { remote: undefined, package: { kind: "npm", name: "server-memory" } };
    expect(addressOf(npm)).toBeUndefined();
    expect(addressOf(npm, status)).toEqual(bridged);
    expect(addressOf({ remote: { url, headers: [secret] } }, status)).toEqual(bridged);
    expect(addressOf({ ...npm, active: false }, status)).toBeUndefined();
  });

  it("is nowhere for a server of the instance's spec whose secrets only agents hold", () => {
    const oauth = {
      tokenUrl: "https://login.example.com/token",
      clientId: "c",
      clientSecret: { secretKeyRef: { name: "keys", key: "s" } },
    };
    const [plain, withSecret, withOwnToken] = collectServers(
      sampleInstance({
        servers: [
          { name: "a", url },
          { name: "b", url, headers: [secret] },
          { name: "c", url, auth: { oauth } },
        ],
      }),
      [],
    ).list;
    expect(plain && findAddress(plain)).toEqual({ url, headers: [], forwardInboundAuth: false });
    expect(withSecret && findAddress(withSecret)).toBeUndefined();
    expect(withOwnToken && findAddress(withOwnToken)).toBeUndefined();
  });
});
