// What would be installed, and its manifest: the version that was found, secrets by reference alone, and texts of strangers that break out
// of nothing.
import { load } from "js-yaml";
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { serverManifest } from "../../../crds/server.ts";
import { renderManifest } from "./manifest.ts";
import { browsedSchema, chooseOffer, isName, joinPages, nameFor, type Published } from "./published.ts";

const publish = (given: Record<string, unknown>, offers: Record<string, unknown>[]): Published => {
  const server = { name: "@scope/server-memory", source: "packages", version: "1.2.3", ...given, packages: offers };
  const [published] = browsedSchema.parse({ servers: [server] }).servers;
  if (published === undefined) throw new Error("expected a server");
  return published;
};
const npm = {
  name: "@scope/server-memory",
  version: "1.2.3",
  runtime: "node",
  command: "npx",
  args: ["-y", "@scope/server-memory@1.2.3", "--stdio"],
};

const manifestSchema = z.looseObject({
  metadata: z.record(z.string(), z.string()),
  spec: z.record(z.string(), z.unknown()),
});

function manifestOf(published: Published, given: Partial<Parameters<typeof renderManifest>[0]> = {}) {
  const { offer } = chooseOffer(published);
  if (offer === undefined) throw new Error("expected an offer");
  const base = { published, offer, name: "memory", instance: "team", env: {}, args: [], isLocal: false };
  const text = renderManifest({ ...base, ...given });
  return { text, value: manifestSchema.parse(load(text)) };
}

describe("the manifest", () => {
  it("is a PallasServer of the version that was found, which nobody starts yet", () => {
    const { value } = manifestOf(publish({ description: "A graph", tags: ["graph"] }, [npm]), { args: ["--deep"] });
    expect(value).toEqual({
      apiVersion: "pallas.helu.ca/v1alpha1",
      kind: "PallasServer",
      metadata: { name: "memory" },
      spec: {
        instanceRef: { name: "team" },
        description: "A graph",
        tags: ["graph"],
        active: false,
        listed: false,
        package: { kind: "npm", name: "@scope/server-memory", version: "1.2.3", args: ["--stdio", "--deep"] },
      },
    });
  });

  it("is one that Pallas reads", () => {
    const python = {
      name: "mcp-server-time",
      version: "0.6.2",
      runtime: "python",
      command: "uvx",
      args: ["mcp-server-time==0.6.2"],
    };
    const remote = {
      name: "https://mcp.example.com/mcp",
      runtime: "streamable-http",
      headers: [{ name: "X-Key", required: true, secret: true }],
    };
    for (const offer of [npm, python, remote]) {
      const { value } = manifestOf(publish({ title: "Memory: it's 1", description: "#1\nno" }, [offer]));
      value.metadata["namespace"] = "agents";
      expect(serverManifest.safeParse(value).error?.issues ?? []).toEqual([]);
    }
  });

  it("names secrets and has no value of them, whatever was typed", () => {
    const env = [{ name: "TOKEN", required: true, secret: true }, { name: "REGION", required: true }, { name: "LEFT" }];
    const { value, text } = manifestOf(publish({}, [{ ...npm, env }]), {
      env: { TOKEN: "hunter2", REGION: "eu: [1]", LEFT: "" },
    });
    expect(value.spec["env"]).toEqual([
      { name: "TOKEN", valueFrom: { secretKeyRef: { name: "memory-keys", key: "TOKEN" } } },
      { name: "REGION", value: "eu: [1]" },
    ]);
    expect(text).not.toContain("hunter2");
  });

  it("keeps strangers' texts as texts", () => {
    const texts = [
      "yes",
      "1.20",
      "a: b",
      "- x",
      "x\n  injected: true",
      "'\"\\",
      "# no",
      "",
      " x ",
      "\u2028\u0085",
      "😀",
      "\ud83d",
      "é",
      "null",
      "0x1f",
      "a #b",
      "&a",
      "*a",
      "!x",
      "%x",
      "@x",
      "`x",
    ];
    for (const text of texts) {
      const { value } = manifestOf(publish({ description: text, tags: [text] }, [npm]));
      expect([value.spec["description"], value.spec["tags"], Object.keys(value.spec)]).toEqual([
        text,
        [text],
        ["instanceRef", "description", "tags", "active", "listed", "package"],
      ]);
    }
  });

  it("says which arguments are missing, on one line", () => {
    const { text } = manifestOf(publish({}, [{ ...npm, missing_args: ["folder\nkind: Secret"] }]));
    expect(text.split("\n")[0]).toBe("# It wants as arguments: folder kind: Secret");
  });

  it("starts with the others under pallas up", () => {
    const { value } = manifestOf(publish({}, [npm]), { isLocal: true });
    expect(value.spec).not.toHaveProperty("active");
  });
});

describe("what is installed", () => {
  it("is a package of npm before one of PyPI, and these before a URL, as the gateway takes them", () => {
    const offers = (...runtimes: string[]) =>
      publish(
        {},
        runtimes.map((runtime) => ({ name: "x", runtime })),
      );
    const chosen = (published: Published) => {
      const { offer, whyNot } = chooseOffer(published);
      return [offer?.runtime, whyNot];
    };
    expect(chosen(offers("sse", "streamable-http", "python", "node"))).toEqual(["node", undefined]);
    expect(chosen(offers("docker", "streamable-http"))).toEqual(["streamable-http", undefined]);
    expect(chosen(offers("sse", "docker"))).toEqual(["docker", "docker"]);
    expect(chosen(offers("sse"))).toEqual(["sse", "sse"]);
    expect(chosen(offers())).toEqual([undefined, "none"]);
    const template = publish({}, [{ name: "https://{host}/mcp", runtime: "streamable-http" }]);
    expect(chosen(template)[1]).toBe("template");
  });

  it("gets a name that a resource may have", () => {
    const names = ["@scope/Server_Memory", "io.github.x/9lives", "a".repeat(51), "--", "Ünï", `${"a".repeat(49)}-b`];
    expect(names.map(nameFor)).toEqual(["server-memory", "s-9lives", "a".repeat(50), "s", "n", "a".repeat(49)]);
    expect(names.map(nameFor).every(isName)).toBe(true);
    expect([isName("a".repeat(50)), isName("a".repeat(51)), isName("9a"), isName("a-"), isName("")]).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it("stands once for each source, whatever page it came with", () => {
    const page = (...sources: string[]) =>
      browsedSchema.parse({ servers: sources.map((source) => ({ name: "x", source })) });
    expect(joinPages([page("a", "b"), page("b", "c")]).map(({ source }) => source)).toEqual(["a", "b", "c"]);
  });
});
