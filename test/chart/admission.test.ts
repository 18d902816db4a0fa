// The chart's admission policies on a real API server, tried by people with few rights: what they refuse, with which
// words, and what they must let pass.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ApiServer } from "../cluster/api-server.ts";
import { clusterMissing } from "../cluster/cluster.ts";
import {
  applyAs,
  header,
  most,
  namespace,
  secretKeyRef,
  startGuardedServer,
  untilRefused,
  unwatched,
  upTo,
  type Author,
} from "./guarded-server.ts";
import { chartProgramsMissing } from "./programs.ts";

const provider = (at: number) => ({ name: `p${at}`, kind: "openai", apiKey: secretKeyRef(at) });
const server = (name: string, secrets: readonly number[]) => ({
  name,
  url: "http://tools.team.svc/mcp",
  headers: secrets.map((secret, at) => header(at, secret)),
});
const oauth = (tokenUrl = "https://login.team.svc/token") => ({
  auth: { oauth: { tokenUrl, clientId: "agents", clientSecret: secretKeyRef(50) } },
});
const oauthServer = { name: "a", url: "http://tools.team.svc/mcp", ...oauth() };
const oauthProvider = { name: "p", kind: "openai-compatible", baseUrl: "http://models.team.svc/v1", ...oauth() };
const oauthSpec = { servers: [oauthServer], providers: [oauthProvider] };
const oauthParts = [{ servers: [oauthServer] }, { providers: [oauthProvider] }];
/** The secret goes to another token URL, or what it is worth to another server or provider. */
const movedOauth = [
  { ...oauthSpec, servers: [{ ...oauthServer, ...oauth("https://elsewhere.example/token") }] },
  { ...oauthSpec, servers: [{ ...oauthServer, url: "http://elsewhere.example/mcp" }] },
  { ...oauthSpec, providers: [{ ...oauthProvider, ...oauth("https://elsewhere.example/token") }] },
  { ...oauthSpec, providers: [{ ...oauthProvider, baseUrl: "http://elsewhere.example/v1" }] },
];

interface InstanceSpec {
  readonly providers?: readonly object[];
  readonly servers?: readonly object[];
  readonly title?: string;
  readonly proxy?: object;
  readonly caBundle?: object;
  readonly images?: object;
  readonly telemetry?: object;
}

const instance = (name: string, spec: InstanceSpec, inNamespace = namespace) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasInstance",
  metadata: { name, namespace: inNamespace },
  spec: { registryNamespace: "com.example", defaultModel: "passthrough", ...spec },
});
const agent = (name: string, spec: object) => ({
  apiVersion: "pallas.helu.ca/v1alpha1",
  kind: "PallasAgent",
  metadata: { name, namespace },
  spec: { instanceRef: { name: "home" }, ...spec },
});

const named = { providers: [provider(0)], servers: [server("a", [1])] };
const caBundle = (name: string) => ({ configMapKeyRef: { name, key: "ca.crt" } });
/** What lies between the agents and every URL: before and after. */
const routes: [string, string, InstanceSpec, InstanceSpec][] = [
  ["proxy.https", "https", {}, { proxy: { https: "http://proxy.example:3128" } }],
  ["proxy.http", "http", {}, { proxy: { http: "http://proxy.example:3128" } }],
  ["another proxy", "other", { proxy: { https: "http://a.example" } }, { proxy: { https: "http://b.example" } }],
  ["no proxy", "direct", { proxy: { https: "http://a.example" } }, {}],
  ["caBundle", "ca", {}, { caBundle: caBundle("theirs") }],
  ["another caBundle", "ca-other", { caBundle: caBundle("ours") }, { caBundle: caBundle("theirs") }],
  ["images.agent", "image", {}, { images: { agent: "registry.example/agent:1" } }],
  ["another images.agent", "image-other", { images: { agent: "a/b:1" } }, { images: { agent: "a/b:2" } }],
];

/** With a gateway that takes the tokens of a Secret. */
const gated = (secret: number, image: string) => ({
  gateway: {
    access: [
      { role: "viewer", serviceAccount: { name: "on-call" } },
      { role: "admin", tokenFrom: secretKeyRef(secret) },
    ],
  },
  images: { gateway: image },
});

describe.skipIf(clusterMissing() !== undefined || (await chartProgramsMissing()))("admission policies", () => {
  let api: ApiServer;
  const as = (author: Author | undefined, manifest: object) => applyAs(api, author, manifest);

  beforeAll(async () => {
    api = await startGuardedServer();
    await as(undefined, instance("home", { providers: [provider(0)] }));
    await untilRefused(api, instance("probe", { providers: [provider(0)] }), "s0");
    await untilRefused(api, agent("probe", { model: "nobody.x" }), "nobody");
  });
  afterAll(() => api?.stop());

  it("have no problem that the API server's type check sees", async () => {
    const checked = async () => {
      const { items } = JSON.parse(await api.kubectl(["get", "validatingadmissionpolicies", "--output=json"]));
      return items.map(({ status }: { status?: object }) => status);
    };
    const clean = { observedGeneration: 1, typeChecking: {} };
    await vi.waitFor(async () => expect(await checked()).toEqual([clean, clean, clean, clean]), {
      timeout: 20_000,
      interval: 200,
    });
  });

  describe("SEC-2 Secrets in an instance", () => {
    it.each([
      ["a provider's key", { providers: [provider(50)] }],
      ["a provider's header", { providers: [{ ...provider(0), headers: [header(0, 50)] }] }],
      ["a server's header", { servers: [server("a", [0, 1]), server("b", [2, 50])] }],
    ])("may be named only by those who read them: %s", async (_title, spec) => {
      const refused = 'spec names the Secret "s50", which some may not read; grant them "get" on it';
      await expect(as("some", instance("keys", spec))).rejects.toThrow(refused);
      expect(await as("all", instance("keys-of-all", spec))).toContain("serverside-applied");
    });

    it("are no matter where none is named", async () => {
      const plain = instance("plain", { providers: [{ name: "p", kind: "openai" }], servers: [server("a", [])] });
      expect(await as("none", plain)).toContain("serverside-applied");
    });

    it("that were named before stay for whoever edits the rest", async () => {
      const both = instance("kept", { providers: [provider(0), provider(1)] });
      expect(await as("some", both)).toContain("serverside-applied");
      expect(await as("none", instance("kept", { providers: [provider(1)], title: "Kept" }))).toContain(
        "serverside-applied",
      );
      await expect(as("none", instance("kept", { providers: [provider(1), provider(0)] }))).rejects.toThrow('"s0"');
    });

    it("go to another URL only by the hand of who reads them", async () => {
      const elsewhere = { url: "http://elsewhere.example/mcp" };
      const home = { ...provider(2), kind: "openai-compatible", baseUrl: "http://models.team.svc/v1" };
      const before = instance("moved", { providers: [home], servers: [server("a", [3])] });
      expect(await as("some", before)).toContain("serverside-applied");
      const moved = [
        { providers: [{ ...home, baseUrl: "http://elsewhere.example/v1" }], servers: [server("a", [3])] },
        { providers: [home], servers: [{ ...server("a", [3]), ...elsewhere }] },
      ];
      for (const [at, spec] of moved.entries()) {
        await expect(as("none", instance("moved", spec))).rejects.toThrow(`"s${at + 2}"`);
      }
      expect(await as("some", instance("moved", moved[1] ?? {}))).toContain("serverside-applied");
    });

    it("of an OAuth client go to another token URL, and its tokens to another URL, only by the hand of who reads them", async () => {
      for (const spec of oauthParts) {
        await expect(as("some", instance("oauth", spec))).rejects.toThrow('names the Secret "s50"');
      }
      for (const [author, title] of [
        ["all", "New"],
        ["none", "Kept"],
      ] as const) {
        expect(await as(author, instance("oauth", { ...oauthSpec, title }))).toContain("serverside-applied");
      }
      for (const spec of movedOauth) await expect(as("some", instance("oauth", spec))).rejects.toThrow('"s50"');
    });

    it("of a gateway's tokens go to it, and to another image of it, only by the hand of who reads them", async () => {
      await expect(as("some", instance("gate", gated(50, "")))).rejects.toThrow('names the Secret "s50"');
      expect(await as("some", instance("gate", gated(4, "")))).toContain("serverside-applied");
      expect(await as("none", instance("gate", { ...gated(4, ""), title: "Kept" }))).toContain("serverside-applied");
      await expect(as("none", instance("gate", gated(4, "a/gateway:2")))).rejects.toThrow('names the Secret "s4"');
    });

    it("go to another vendor only by the hand of who reads them", async () => {
      const openai = { name: "p", apiKey: secretKeyRef(2), headers: [header(0, 3)] };
      expect(await as("some", instance("vendor", { providers: [{ ...openai, kind: "openai" }] }))).toContain(
        "serverside-applied",
      );
      await expect(as("none", instance("vendor", { providers: [{ ...openai, kind: "google" }] }))).rejects.toThrow(
        '"s2"',
      );
      expect(await as("some", instance("vendor", { providers: [{ ...openai, kind: "google" }] }))).toContain(
        "serverside-applied",
      );
    });

    describe("are as newly named where what lies between the agents and every URL changes:", () => {
      it.each(routes)("%s", async (_title, name, before, after) => {
        expect(await as("some", instance(name, { ...named, ...before }))).toContain("serverside-applied");
        await expect(as("none", instance(name, { ...named, ...after }))).rejects.toThrow(
          'spec.proxy, caBundle and images.agent decide where the Secret "s0" goes, which none may not read; grant them "get"',
        );
        expect(await as("none", instance(name, { ...named, ...before, title: "Kept" }))).toContain(
          "serverside-applied",
        );
        // One Secret that the author may not read is enough, wherever it stands.
        const more = { ...named, servers: [server("a", [1]), server("b", [50])] };
        expect(await as("all", instance(name, { ...more, ...before }))).toContain("serverside-applied");
        await expect(as("some", instance(name, { ...more, ...after }))).rejects.toThrow(
          '"s50" goes, which some may not',
        );
        expect(await as("some", instance(name, { ...named, ...after }))).toContain("serverside-applied");
      });

      it("on creation too", async () => {
        const routed = { ...named, proxy: { https: "http://proxy.example:3128" }, caBundle: caBundle("theirs") };
        await expect(as("none", instance("made", routed))).rejects.toThrow('"s0"');
        expect(await as("some", instance("made", routed))).toContain("serverside-applied");
      });

      it("but not where no Secret is named, nor for what gets none of them", async () => {
        const routed = { proxy: { https: "http://proxy.example:3128" }, images: { agent: "a/b:1" } };
        expect(await as("none", instance("free", routed))).toContain("serverside-applied");
        expect(await as("none", instance("free", { ...routed, proxy: { http: "http://proxy.example" } }))).toContain(
          "serverside-applied",
        );
        expect(await as("some", instance("traced", named))).toContain("serverside-applied");
        const rest = { telemetry: { otlpEndpoint: "http://traces.example:4318" }, images: { registry: "a/b:1" } };
        expect(await as("none", instance("traced", { ...named, ...rest }))).toContain("serverside-applied");
      });

      it(`for at most ${most} Secrets at once, and one more is refused with a way out`, async () => {
        const proxy = { https: "http://proxy.example:3128" };
        for (const count of [most, most + 1]) {
          expect(await as("all", instance(`routes-${count}`, { providers: upTo(count).map(provider) }))).toContain(
            "serverside-applied",
          );
        }
        expect(await as("some", instance(`routes-${most}`, { providers: upTo(most).map(provider), proxy }))).toContain(
          "serverside-applied",
        );
        const beyond = instance(`routes-${most + 1}`, { providers: upTo(most + 1).map(provider), proxy });
        await expect(as("some", beyond)).rejects.toThrow("or let somebody who may read all Secrets");
        expect(await as("all", beyond)).toContain("serverside-applied");
      });
    });

    it("of namespaces that the operator does not look after are another's business", async () => {
      expect(await as("none", instance("free", { providers: [provider(0)] }, unwatched))).toContain(
        "serverside-applied",
      );
    });

    it(`may be ${most} new ones at once, and one more is refused with a way out`, async () => {
      expect(await as("some", instance("limit", { providers: upTo(most).map(provider) }))).toContain(
        "serverside-applied",
      );
      await expect(as("some", instance("beyond", { providers: upTo(most + 1).map(provider) }))).rejects.toThrow(
        `newly names more than ${most} Secrets in one step`,
      );
      expect(await as("some", instance("limit", { providers: upTo(most + 8).map(provider) }))).toContain(
        "serverside-applied",
      );
      expect(await as("all", instance("beyond", { providers: upTo(32).map(provider) }))).toContain(
        "serverside-applied",
      );
    });

    it("are counted once each, however often they are named", async () => {
      const servers = upTo(100).map((at) =>
        server(
          `m${at}`,
          upTo(8).map((each) => (at + each) % most),
        ),
      );
      expect(await as("some", instance("often", { servers }))).toContain("serverside-applied");
      expect(await as("none", instance("often", { servers, title: "Often" }))).toContain("serverside-applied");
    });

    it("are judged within the API server's budget in the largest instance, or refused unjudged", async () => {
      const servers = upTo(128).map((at) =>
        server(
          `m${at}`,
          upTo(32).map((each) => (at + each) % 40),
        ),
      );
      expect(await as("all", instance("largest", { servers }))).toContain("serverside-applied");
      expect(await as("none", instance("largest", { servers, title: "Largest" }))).toContain("serverside-applied");
      await expect(as("none", instance("largest-of-none", { servers }))).rejects.toThrow("denied request");
    });

    it("are no matter to the operator's status, nor to deletion", async () => {
      expect(await as("all", instance("old", { providers: [provider(50)] }))).toContain("serverside-applied");
      const patch = JSON.stringify({ status: { observedGeneration: 1 } });
      await api.kubectl([
        `--namespace=${namespace}`,
        "patch",
        "pallasinstance",
        "old",
        "--subresource=status",
        "--type=merge",
        `--patch=${patch}`,
        "--as=none",
      ]);
      await api.kubectl([`--namespace=${namespace}`, "delete", "pallasinstance", "old", "--as=none"]);
    });
  });

  describe("CFG-5 references of an agent", () => {
    it("must be in its instance", async () => {
      await expect(as("none", agent("a", { model: "p0.x", fallbackModels: ["p1.y"] }))).rejects.toThrow(
        'no provider of PallasInstance "home" serves p1.y; add the provider to spec.providers there, or correct the model',
      );
      expect(await as("none", agent("a", { model: "p0.x", fallbackModels: ["passthrough"] }))).toContain(
        "serverside-applied",
      );
    });

    it("to servers are let through, since a PallasServer may have the name", async () => {
      expect(await as("none", agent("b", { servers: [{ name: "memory" }] }))).toContain("serverside-applied");
    });

    it("are no matter while the instance is not there, and of other instances never", async () => {
      const early = agent("early", { instanceRef: { name: "later" }, model: "any.thing" });
      expect(await as("none", early)).toContain("serverside-applied");
    });

    it("that an instance has lost leave labels writable", async () => {
      expect(await as("none", agent("orphan", { model: "p0.x" }))).toContain("serverside-applied");
      expect(await as(undefined, instance("home", { servers: [server("toolbox", [])] }))).toContain(
        "serverside-applied",
      );
      await api.kubectl([`--namespace=${namespace}`, "label", "pallasagent", "orphan", "a=b", "--as=none"]);
      // The policy hears of the instance's edit by a watch.
      let tries = 0;
      await vi.waitFor(() => {
        const edited = agent("orphan", { title: `Title ${(tries += 1)}`, model: "p0.x" });
        return expect(as("none", edited)).rejects.toThrow("p0.x");
      });
    });
  });
});
