import { mkdtemp, mkdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseEnvironment } from "../environment.ts";
import { writeKubeletVolume } from "../testing/kubelet-volume.ts";
import { renderTestConfig, renderTestServer } from "../testing/run-config.ts";
import { createMountedFiles } from "./mounted-files.ts";
import { renderExpanded } from "./placeholders.ts";
import { createReadSecret } from "./secrets.ts";

describe("secrets", () => {
  const secret = { name: "keys", key: "main" };
  const read = (text: string | undefined, place: "cluster" | "local" = "cluster") =>
    createReadSecret({ read: async () => text }, place)(secret);

  test("are read without the line break that editors leave", async () => {
    expect(await read("value\n")).toBe("value");
  });

  test("that are not there are named with a cure that is true of where the agent runs", async () => {
    await expect(read(undefined, "cluster")).rejects.toThrow(
      `Secret "keys" has no readable key "main": create it in the agent's namespace`,
    );
    await expect(read(undefined, "local")).rejects.toThrow(/^Secret "keys" .*: .* \.env or the environment$/);
  });

  test("CFG-6 that a manifest could not fill in are refused, with the missing variables where they can be set", async () => {
    await expect(read("${A}${B_2}\n", "local")).rejects.toThrow(
      'Secret "keys": main is left out, since the variable A, B_2 is not set; set it, or add it to .env',
    );
    await expect(read("${A}", "cluster")).rejects.toThrow("holds the placeholder ${A}, which only local mode fills in");
    expect(await read("a ${A} b", "local")).toBe("a ${A} b");
  });

  test.each(["", " \n", "two\nlines", "ключ"])("%j, which no header has, is refused unquoted", async (text) => {
    await expect(read(text)).rejects.toThrow(
      /^Secret "keys" key "main" is empty or holds characters .*: write it again$/,
    );
  });
});

describe("mounted files", () => {
  const file = { name: "keys", key: "main" };

  test("a rotated file is read anew, as the kubelet swaps it; a removed one is gone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pallas-files-"));
    const files = createMountedFiles(folder);
    expect(await files.read(file)).toBeUndefined();
    await writeKubeletVolume(folder, { "keys/main": "old", "keys/other": "x" });
    expect(await files.read(file)).toBe("old");
    await writeKubeletVolume(folder, { "keys/main": "new", "keys/other": "x" });
    expect(await files.read(file)).toBe("new");
    await writeKubeletVolume(folder, { "keys/other": "x" });
    expect(await files.read(file)).toBeUndefined();
    await rm(folder, { recursive: true });
  });

  test(
    "a file that is swapped while it is read is never missing, and never older than before",
    { timeout: 60_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "pallas-files-"));
      const files = createMountedFiles(folder);
      await writeKubeletVolume(folder, { "keys/main": "1" });
      const swapped = new AbortController();
      const swap = async () => {
        for (let version = 2; version <= 100; version += 1) {
          await writeKubeletVolume(folder, { "keys/main": `${version}` });
        }
        swapped.abort();
      };
      const read = async () => {
        for (let last = 0; !swapped.signal.aborted;) {
          const found = Number(await files.read(file));
          expect(found).toBeGreaterThanOrEqual(last);
          last = found;
        }
      };
      await Promise.all([swap(), read(), read(), read()]);
      expect(await files.read(file)).toBe("100");
      await rm(folder, { recursive: true });
    },
  );

  test("1 MiB is read, one byte more is refused", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pallas-files-"));
    const path = join(folder, "keys", "main");
    await mkdir(join(folder, "keys"));
    await writeFile(path, Buffer.alloc(1_048_576, "x"));
    const files = createMountedFiles(folder);
    expect(await files.read(file)).toHaveLength(1_048_576);
    await truncate(path, 1_048_577);
    await expect(files.read(file)).rejects.toThrow("1048577 bytes, expected at most 1048576");
  });
});

describe("CFG-6 CFG-7 placeholders", () => {
  const config = renderTestConfig({
    providers: [
      {
        name: "openai",
        kind: "openai",
        baseUrl: "${BASE}/v1",
        headers: [{ name: "X-Team", value: "a-${TEAM}" }],
        requireListedModel: true,
        forwardInboundAuth: false,
      },
    ],
    servers: [
      renderTestServer("argos", "http://${HOST}:1/mcp", {
        headers: [
          { name: "Authorization", value: "Bearer ${TOKEN}" },
          { name: "X-Key", secret: { name: "keys", key: "k" } },
        ],
      }),
    ],
  });

  test("set variables are put in", () => {
    const env = { BASE: "http://llm", TEAM: "blue", HOST: "argos", TOKEN: "t" };
    const { config: expanded, unset } = renderExpanded(config, env);
    expect(unset).toEqual([]);
    expect(expanded.providers[0]).toMatchObject({ baseUrl: "http://llm/v1", headers: [{ value: "a-blue" }] });
    expect(expanded.servers[0]).toMatchObject({
      url: "http://argos:1/mcp",
      headers: [{ value: "Bearer t" }, { secret: { name: "keys", key: "k" } }],
    });
  });

  test("unset or empty ones are named with their place and never become an empty string", () => {
    const { config: expanded, unset } = renderExpanded(config, { TEAM: "" });
    expect(unset).toEqual([
      { variable: "BASE", place: "baseUrl of provider openai" },
      { variable: "TEAM", place: "header X-Team of provider openai" },
      { variable: "HOST", place: "url of server argos" },
      { variable: "TOKEN", place: "header Authorization of server argos" },
    ]);
    expect(expanded.providers[0]).not.toHaveProperty("baseUrl");
    expect(expanded.providers[0]?.headers).toEqual([]);
    expect(expanded.servers[0]?.headers).toEqual([{ name: "X-Key", secret: { name: "keys", key: "k" } }]);
  });
});

describe("CFG-6 a placeholder in the endpoint of telemetry", () => {
  const config = renderTestConfig({ telemetry: { otlpEndpoint: "http://${COLLECTOR}:4318" } });

  test("is put in, or leaves telemetry out and is named", () => {
    expect(renderExpanded(config, { COLLECTOR: "otel" }).config.telemetry).toEqual({
      otlpEndpoint: "http://otel:4318",
    });
    const { config: expanded, unset } = renderExpanded(config, {});
    expect(expanded).not.toHaveProperty("telemetry");
    expect(unset).toEqual([{ variable: "COLLECTOR", place: "telemetry.otlpEndpoint" }]);
  });
});

describe("the environment", () => {
  test("has defaults for everything", () => {
    expect(parseEnvironment({})).toMatchObject({
      PALLAS_RUN_CONFIG: "/etc/pallas/run-config.json",
      PALLAS_PORT: 8080,
      PALLAS_ADMIN_PORT: 9090,
      PALLAS_DRAIN_DELAY_MS: 5_000,
    });
  });

  test("names every faulty variable at once", () => {
    expect(() => parseEnvironment({ PALLAS_PORT: "65536", PALLAS_EXPAND_ENV: "yes" })).toThrow(
      /PALLAS_PORT[\s\S]*PALLAS_EXPAND_ENV/,
    );
  });
});

describe("CFG-6 placeholders in a client of OAuth", () => {
  const oauth = {
    tokenUrl: "${LOGIN}/token",
    clientId: "${CLIENT}",
    clientSecret: { name: "oauth", key: "secret" },
    clientAuth: "basic" as const,
    scopes: [],
  };

  test("are put in for servers and providers; an unset one stays as written and is reported", () => {
    const [provider] = renderTestConfig().providers;
    if (provider === undefined) throw new Error("the test configuration has no provider");
    const config = renderTestConfig({
      servers: [renderTestServer("argos", "http://argos/mcp", { oauth })],
      providers: [{ ...provider, name: "p", oauth }],
    });
    const { config: expanded, unset } = renderExpanded(config, { LOGIN: "https://login" });
    const expected = { ...oauth, tokenUrl: "https://login/token" };
    expect([expanded.servers[0]?.oauth, expanded.providers[0]?.oauth]).toEqual([expected, expected]);
    expect(unset.map(({ place }) => place)).toEqual(["clientId of provider p", "clientId of server argos"]);
  });
});
