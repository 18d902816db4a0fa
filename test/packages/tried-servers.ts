// Tool servers of others as PallasServers, unmodified from npm and PyPI, and a call of each that it answers by itself.

export interface TriedServer {
  readonly name: string;
  readonly spec: object;
  readonly call: { readonly tool: string; readonly arguments: Record<string, unknown>; readonly says: RegExp };
}

const npm = (name: string, args: string[] = []) => ({
  package: { kind: "npm", name: `@modelcontextprotocol/server-${name}`, version: "2026.8.31", args },
});
/** @param requirements of those made before a new major version of what they stand on */
const pypi = (name: string, version: string, args: string[] = [], requirements: string[] = []) => ({
  package: { kind: "pypi", name, version, args, ...(requirements.length > 0 && { with: requirements }) },
});

/** @param work a folder that they may write to */
export const renderTriedPackages = (work: string): readonly TriedServer[] => [
  {
    name: "memory",
    spec: npm("memory"),
    call: { tool: "read_graph", arguments: {}, says: /entities/ },
  },
  {
    name: "filesystem",
    spec: npm("filesystem", [work]),
    call: { tool: "list_allowed_directories", arguments: {}, says: new RegExp(work) },
  },
  {
    name: "everything",
    spec: npm("everything"),
    call: { tool: "get-sum", arguments: { a: 2, b: 3 }, says: /\b5\b/ },
  },
  {
    name: "thinking",
    spec: npm("sequential-thinking"),
    call: {
      tool: "sequentialthinking",
      arguments: { thought: "owls", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      says: /thoughtNumber/,
    },
  },
  {
    name: "time",
    spec: pypi("mcp-server-time", "2026.10.10", ["--local-timezone", "UTC"]),
    call: { tool: "get_current_time", arguments: { timezone: "Asia/Tokyo" }, says: /\+09:00/ },
  },
  {
    name: "git",
    spec: pypi("mcp-server-git", "2026.10.10"),
    call: { tool: "git_status", arguments: { repo_path: work }, says: /./ },
  },
  {
    name: "sqlite",
    spec: pypi("mcp-server-sqlite", "2025.4.25", ["--db-path", `${work}/owls.db`], ["mcp<2"]),
    call: { tool: "list_tables", arguments: {}, says: /\[\]/ },
  },
  {
    // Made with FastMCP.
    name: "excel",
    spec: pypi("excel-mcp-server", "0.1.8", ["stdio"]),
    call: {
      tool: "create_workbook",
      arguments: { filepath: `${work}/owls.xlsx` },
      says: /owls\.xlsx/,
    },
  },
];
