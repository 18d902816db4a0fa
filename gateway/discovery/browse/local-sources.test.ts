// npm's and pip's own configuration, as files on the disk and variables, and who is shown the credentials in it.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readLocalSources } from "./local-sources.ts";
import { findNpmRegistry } from "./npmrc.ts";
import { findPipIndex } from "./pip-conf.ts";
import { npmPackage, openBrowser, startNpm, startSource } from "./testing/test-sources.ts";

async function makeHome(files: Readonly<Record<string, string>>, variables: Readonly<Record<string, string>> = {}) {
  const root = await mkdtemp(join(tmpdir(), "pallas-browse-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const home = join(root, "home");
  // Nothing of this machine's own is read.
  const all = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    PIP_CONFIG_FILE: join(home, "pip.conf"),
    ...variables,
  };
  return { variables: all, folder: join(root, "project"), execPath: join(root, "usr", "bin", "node") };
}

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

describe("DSC-7 what npm's configuration names", () => {
  const registryOf = async (files: Record<string, string>, variables: Record<string, string> = {}) => {
    const [first] = await readLocalSources(await makeHome(files, variables));
    return first;
  };
  const npm = { name: "npm", kind: "npm" };

  it("is npm's own registry where it says nothing, else the first of variable, project, user and machine", async () => {
    expect(await registryOf({})).toEqual({ ...npm, url: "https://registry.npmjs.org/" });
    const files = {
      "usr/etc/npmrc": "registry=https://machine.example/",
      "home/.npmrc": "; a comment\nregistry = https://user.example/npm/\n",
      "project/.npmrc": 'registry="https://project.example/"',
    };
    const { "project/.npmrc": _, ...ofUser } = files;
    expect(await registryOf({ "usr/etc/npmrc": files["usr/etc/npmrc"] })).toMatchObject({
      url: "https://machine.example/",
    });
    expect(await registryOf(ofUser)).toMatchObject({ url: "https://user.example/npm/" });
    expect(await registryOf(files)).toMatchObject({ url: "https://project.example/" });
    const variable = { NPM_CONFIG_REGISTRY: "https://variable.example/" };
    expect(await registryOf(files, variable)).toMatchObject({ url: "https://variable.example/" });
  });

  it("is nothing where the URL has more than 2,048 characters", () => {
    const start = "https://long.example/";
    const found = (length: number) =>
      findNpmRegistry({
        variables: { npm_config_registry: start + "a".repeat(length - start.length) },
        ...{ project: "", own: [] },
      });
    expect(found(2_048)?.url).toHaveLength(2_048);
    expect(found(2_049)).toBeUndefined();
  });

  it("is not what stands in a line of more than 4,096 characters", () => {
    const line = (length: number) => "registry=https://long.example/".padEnd(length, " ");
    const found = (length: number) => findNpmRegistry({ variables: {}, project: line(length), own: [] })?.url;
    expect(found(4_096)).toBe("https://long.example/");
    expect(found(4_097)).toBe("https://registry.npmjs.org/");
    const index = (length: number) =>
      findPipIndex({ variables: {}, files: [`[global]\n${"index-url=https://long.example/".padEnd(length, " ")}`] })
        ?.url;
    expect(index(4_096)).toBe("https://long.example/");
    expect(index(4_097)).toBe("https://pypi.org/simple");
  });

  it.each([
    ["a token", "_authToken=t0ken", "Bearer t0ken"],
    ["a token of a variable", "_authToken=${NPM_TOKEN}", "Bearer from-variable"],
    ["a pair", "_auth=dTpw", "Basic dTpw"],
    [
      "user and password",
      `username=u\n//npm.example/team/:_password=${Buffer.from("p").toString("base64")}`,
      basic("u:p"),
    ],
  ])("may have credentials: %s", async (_what, line, authorization) => {
    const text = `registry=https://npm.example/team/\n//npm.example/team/:${line}`;
    expect(await registryOf({ "home/.npmrc": text }, { NPM_TOKEN: "from-variable" })).toEqual({
      ...npm,
      url: "https://npm.example/team/",
      authorization,
    });
  });

  it("has credentials for that host and path alone, of the user's own files alone", async () => {
    const own = (text: string, project = "") =>
      findNpmRegistry({ variables: { SECRET: "s" }, project, own: [text] })?.authorization;
    expect(own("registry=https://npm.example/\n//other.example/:_authToken=t")).toBeUndefined();
    expect(own("registry=https://npm.example/a/\n//npm.example/b/:_authToken=t")).toBeUndefined();
    expect(own("registry=https://npm.example:8443/\n//npm.example/:_authToken=t")).toBeUndefined();
    expect(own("registry=https://npm.example/a/\n//npm.example/:_authToken=t")).toBe("Bearer t");
    expect(own("", "registry=https://evil.example/\n//evil.example/:_authToken=${SECRET}")).toBeUndefined();
    expect(own("registry=https://npm.example/\n//npm.example/:_authToken=${UNSET}")).toBeUndefined();
    expect(own("registry=https://npm.example/\n//npm.example/:_authToken=a\u0000b")).toBeUndefined();
  });

  it("in its URL become a header", async () => {
    const registry = await registryOf({}, { npm_config_registry: "https://me:p%40ss@npm.example/" });
    expect(registry).toEqual({ ...npm, url: "https://npm.example/", authorization: basic("me:p@ss") });
    expect((await registryOf({}, { npm_config_registry: "file:///etc/" }))?.kind).toBe("pypi");
  });

  it("are sent to that host, and not on to where it leads", async () => {
    const other = await startNpm([npmPackage("a-mcp")]);
    const first = await startSource((request, response) => {
      response.writeHead(302, { location: `${other.url}${request.url ?? ""}` }).end();
    });
    const { host } = new URL(first.url);
    const place = await makeHome({ "home/.npmrc": `registry=${first.url}/\n//${host}/:_authToken=t0ken` });
    const [npmSource] = await readLocalSources(place);
    const browser = openBrowser(npmSource === undefined ? [] : [npmSource]);
    const { reports } = await browser.browse({ query: "a", limit: 5 });
    expect(first.headers[0]?.authorization).toBe("Bearer t0ken");
    expect(other.asked).toEqual([]);
    expect(reports[0]?.problem).toMatch(/redirect/);
    expect(JSON.stringify(reports)).not.toContain("t0ken");
  });
});

describe("DSC-7 what pip's configuration names", () => {
  it("is PyPI where it says nothing, else the first of variable, user and machine", async () => {
    const indexOf = async (files: Record<string, string>, variables: Record<string, string> = {}) =>
      (await readLocalSources(await makeHome(files, variables))).find(({ kind }) => kind === "pypi");
    expect(await indexOf({})).toMatchObject({ name: "pypi" });
    const text =
      "[install]\nindex-url = https://wrong.example/\n[global]\nindex_url = https://u:p@pip.example/simple/\n";
    expect(await indexOf({ "home/pip.conf": text })).toEqual({
      ...{ name: "pypi", kind: "pypi", url: "https://pip.example/simple/" },
      authorization: basic("u:p"),
    });
    const variable = { PIP_INDEX_URL: "https://variable.example/simple" };
    expect(await indexOf({ "home/pip.conf": text }, variable)).toMatchObject({
      url: "https://variable.example/simple",
    });
    expect(await indexOf({ "home/pip.conf": "[global]\nno-index = true" })).toBeUndefined();
    expect(await indexOf({}, { PIP_NO_INDEX: "1" })).toBeUndefined();
  });

  it("is read from [global] alone, and is http or https", () => {
    expect(findPipIndex({ variables: {}, files: [""] })).toEqual({ url: "https://pypi.org/simple" });
    expect(findPipIndex({ variables: {}, files: ["[global]\nindex-url=file:///x"] })).toBeUndefined();
    expect(findPipIndex({ variables: {}, files: ["[x]\nindex-url=https://x/"] })).toEqual({
      url: "https://pypi.org/simple",
    });
  });

  it("is not read from what is no file of its kind", async () => {
    const place = await makeHome({
      "home/.npmrc/x": "registry=https://x/",
      "home/pip.conf": "x".repeat(256 * 1024 + 1),
    });
    expect((await readLocalSources(place)).map(({ name }) => name)).toEqual(["npm", "pypi"]);
  });
});
