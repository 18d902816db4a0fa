// Commands of REST as what servers are made of, and back.
import { describe, expect, it } from "vitest";
import { parseCommand, renderCommand, type ServerSource } from "./commands.ts";

const parse = (line: string) => {
  const [command = "", ...args] = line.split(" ");
  return parseCommand({ command, args }).source;
};

describe("DSC-8 a command", () => {
  it.each<[string, ServerSource]>([
    ["npx -y server-memory", { package: { kind: "npm", name: "server-memory" } }],
    [
      "npx server-memory@1.2.3 /data",
      { package: { kind: "npm", name: "server-memory", version: "1.2.3", args: ["/data"] } },
    ],
    ["npx --yes @scope/pkg@latest", { package: { kind: "npm", name: "@scope/pkg" } }],
    [
      "npx -y @scope/pkg@2.0.0 -- --flag",
      { package: { kind: "npm", name: "@scope/pkg", version: "2.0.0", args: ["--", "--flag"] } },
    ],
    ["npx -y -p @scope/pkg prog x", { package: { kind: "npm", name: "@scope/pkg", command: "prog", args: ["x"] } }],
    ["C:\\tools\\npx.cmd -y pkg", { package: { kind: "npm", name: "pkg" } }],
    ["uvx mcp-server-time==1.0", { package: { kind: "pypi", name: "mcp-server-time", version: "1.0" } }],
    [
      "uvx mcp-server-time@1.0 --tz UTC",
      { package: { kind: "pypi", name: "mcp-server-time", version: "1.0", args: ["--tz", "UTC"] } },
    ],
    ["uvx --from pkg==2 prog", { package: { kind: "pypi", name: "pkg", version: "2", command: "prog" } }],
    [
      "docker run -i --rm mcp/time server --tz UTC",
      { container: { image: "mcp/time", command: ["server"], args: ["--tz", "UTC"] } },
    ],
    [
      "docker run --entrypoint /bin/server ghcr.io/a/b:1",
      { container: { image: "ghcr.io/a/b:1", command: ["/bin/server"] } },
    ],
    ["node server.js", { local: { command: "node", args: ["server.js"] } }],
  ])("%s", (line, source) => {
    expect(parse(line)).toEqual(source);
    // What is shown of it is understood again.
    const shown = renderCommand(source);
    expect(shown && parseCommand(shown).source).toEqual(source);
  });

  it("takes the variables of docker run", () => {
    const args = "run -e A=1 --env=B=2 -e C image prog".split(" ");
    expect(parseCommand({ command: "docker", args }).env).toEqual({ A: "1", B: "2" });
  });

  it.each([
    ["npx", "name the package"],
    ["npx --node-options=--inspect pkg", "is not understood"],
    ["uvx --with evil pkg", "is not understood"],
    ["docker build .", 'only "run"'],
    ["docker run -v /:/host image sh", "-v is not understood"],
    ["docker run --privileged image sh", "--privileged is not understood"],
    ["docker run", "name the image"],
    ["docker run -i image", "name the program after the image"],
  ])("%s is refused: %s", (line, sentence) => {
    expect(() => parse(line)).toThrow(sentence);
  });
});
