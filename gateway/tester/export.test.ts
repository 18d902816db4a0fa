// Configurations in the shapes that clients read.
import { describe, expect, it } from "vitest";
import { exportFormats, renderExport, toExported, type ExportFormat } from "./export.ts";

const plain = { name: "files", url: "https://files.example.com/mcp", headers: [] };
const withKey = { ...plain, headers: ["X-Api-Key"] };

describe("DSC-9 an export", () => {
  it.each<[ExportFormat, object]>([
    ["mcp-json", { mcpServers: { files: { type: "http", url: plain.url } } }],
    ["claude-code", { mcpServers: { files: { type: "http", url: plain.url } } }],
    ["cursor", { mcpServers: { files: { url: plain.url } } }],
    ["windsurf", { mcpServers: { files: { serverUrl: plain.url } } }],
    ["vscode", { servers: { files: { type: "http", url: plain.url } } }],
    [
      "claude-desktop",
      { mcpServers: { files: { command: "npx", args: ["-y", "mcp-remote", plain.url, "--transport", "http-only"] } } },
    ],
    ["agent-discover", { servers: [{ name: "files", type: "http", url: plain.url, auto_activate: true }] }],
  ])("for %s", (format, config) => {
    expect(renderExport(plain, format)).toEqual(config);
  });

  it.each<[ExportFormat, object]>([
    ["mcp-json", { headers: { "X-Api-Key": "${X_API_KEY}" } }],
    ["claude-code", { headers: { "X-Api-Key": "${X_API_KEY}" } }],
    ["cursor", { headers: { "X-Api-Key": "${env:X_API_KEY}" } }],
    ["windsurf", { headers: { "X-Api-Key": "${env:X_API_KEY}" } }],
    ["vscode", { headers: { "X-Api-Key": "${input:files-x-api-key}" } }],
    ["claude-desktop", { env: { X_API_KEY: "" } }],
    ["agent-discover", { headers: { "X-Api-Key": "$X_API_KEY" } }],
  ])("for %s says where the client takes a header's value from", (format, part) => {
    const { mcpServers, servers } = renderExport(withKey, format);
    const entries: object[] = [mcpServers ?? servers].flatMap((each) => Object.values(Object(each)));
    expect(entries).toEqual([expect.objectContaining(part)]);
  });

  it("for VS Code asks for such a value as for a password", () => {
    expect(renderExport(withKey, "vscode")["inputs"]).toEqual([
      { type: "promptString", id: "files-x-api-key", description: "X-Api-Key of files", password: true },
    ]);
  });

  it.each([
    ["http://files.agents.svc:8080/mcp", true],
    ["http://localhost:8080/mcp", false],
    ["https://files.example.com/mcp", false],
  ])("for Claude Desktop allows plain HTTP for %s: %s", (url, allowed) => {
    const text = JSON.stringify(renderExport({ ...plain, url }, "claude-desktop"));
    expect(text.includes("--allow-http")).toBe(allowed);
  });

  it.each(exportFormats)("for %s holds no value of a header, no user, no query", (format) => {
    const exported = toExported("files", {
      url: "https://ann:hunter2@files.example.com/mcp?key=hunter2#hunter2",
      headers: [{ name: "X-Api-Key", value: "hunter2" }],
      forwardInboundAuth: true,
    });
    const text = JSON.stringify(renderExport(exported, format));
    expect(text).not.toContain("hunter2");
    expect(text).toContain("https://files.example.com/mcp");
    expect(text.toLowerCase()).toContain("authorization");
  });
});
