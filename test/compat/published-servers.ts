// Which published MCP servers are tried: how each is started so that it lists its tools without a key or a network that
// works, and what is safe to call. Versions stand where packages are pinned: servers/package-lock.json,
// test/python/requirements-servers.txt and test/cluster/go/go-sdk/go.mod.

export interface PublishedServer {
  /** Also the prefix of its tools. */
  readonly name: string;
  readonly from: "npm" | "pypi" | "go";
  /** npm: the package; PyPI: the console script; Go: the program's name. */
  readonly program: string;
  /** `{folder}` stands for an empty folder. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Calls that it answers by itself. */
  readonly calls?: Readonly<Record<string, HarmlessCall>>;
}

export interface HarmlessCall {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the answer says. */
  readonly says: RegExp;
}

const npm = (name: string, program: string, rest: Partial<PublishedServer> = {}): PublishedServer => ({
  name,
  from: "npm",
  program,
  ...rest,
});
const pypi = (name: string, program: string, rest: Partial<PublishedServer> = {}): PublishedServer => ({
  name,
  from: "pypi",
  program,
  ...rest,
});
const go = (name: string, program: string, rest: Partial<PublishedServer> = {}): PublishedServer => ({
  name,
  from: "go",
  program,
  ...rest,
});

/** Keys that no service knows. */
const key = "no-real-key";
/** Where nothing listens. */
const nowhere = "http://127.0.0.1:9";

export const publishedServers: readonly PublishedServer[] = [
  npm("airtable", "airtable-mcp-server", { env: { AIRTABLE_API_KEY: key } }),
  npm("antv-chart", "@antv/mcp-server-chart"),
  npm("argocd", "argocd-mcp", { args: ["stdio"], env: { ARGOCD_BASE_URL: nowhere, ARGOCD_API_TOKEN: key } }),
  npm("brave-search", "@brave/brave-search-mcp-server", {
    args: ["--transport", "stdio"],
    env: { BRAVE_API_KEY: key },
  }),
  npm("chrome-devtools", "chrome-devtools-mcp", { args: ["--headless", "--no-usage-statistics"] }),
  npm("circleci", "@circleci/mcp-server-circleci", { env: { CIRCLECI_TOKEN: key } }),
  npm("context7", "@upstash/context7-mcp"),
  npm("currents", "@currents/mcp", { env: { CURRENTS_API_KEY: key } }),
  npm("eslint", "@eslint/mcp"),
  npm("everything", "@modelcontextprotocol/server-everything", {
    calls: {
      echo: { arguments: { message: "owls" }, says: /owls/ },
      "get-sum": { arguments: { a: 2, b: 3 }, says: /\b5\b/ },
    },
  }),
  npm("exa", "exa-mcp-server", { env: { EXA_API_KEY: key } }),
  npm("figma", "figma-developer-mcp", { args: [`--figma-api-key=${key}`, "--stdio"] }),
  npm("filesystem", "@modelcontextprotocol/server-filesystem", {
    args: ["{folder}"],
    calls: { list_allowed_directories: { arguments: {}, says: /pallas-compat/ } },
  }),
  npm("firecrawl", "firecrawl-mcp", { env: { FIRECRAWL_API_KEY: key } }),
  npm("github", "@modelcontextprotocol/server-github", { env: { GITHUB_PERSONAL_ACCESS_TOKEN: key } }),
  npm("gitlab", "@zereight/mcp-gitlab", {
    env: {
      GITLAB_PERSONAL_ACCESS_TOKEN: key,
      USE_GITLAB_WIKI: "true",
      USE_MILESTONE: "true",
      USE_PIPELINE: "true",
    },
  }),
  npm("google-maps", "@modelcontextprotocol/server-google-maps", { env: { GOOGLE_MAPS_API_KEY: key } }),
  npm("hubspot", "@hubspot/mcp-server", { env: { PRIVATE_APP_ACCESS_TOKEN: key } }),
  npm("memory", "@modelcontextprotocol/server-memory", {
    env: { MEMORY_FILE_PATH: "{folder}/memory.json" },
    calls: {
      read_graph: { arguments: {}, says: /"entities"/ },
    },
  }),
  npm("mongodb", "mongodb-mcp-server", { env: { MDB_MCP_TELEMETRY: "disabled" } }),
  npm("notion", "@notionhq/notion-mcp-server", { env: { NOTION_TOKEN: key } }),
  npm("perplexity", "@perplexity-ai/mcp-server", { env: { PERPLEXITY_API_KEY: key } }),
  npm("playwright", "@playwright/mcp", { args: ["--headless"] }),
  npm("postgres", "@modelcontextprotocol/server-postgres", { args: ["postgresql://127.0.0.1:9/none"] }),
  npm("sentry", "@sentry/mcp-server", { args: [`--access-token=${key}`] }),
  npm("sequential-thinking", "@modelcontextprotocol/server-sequential-thinking", {
    calls: {
      sequentialthinking: {
        arguments: { thought: "Where are the owls?", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
        says: /"thoughtNumber": ?1/,
      },
    },
  }),
  npm("shortcut", "@shortcut/mcp", { env: { SHORTCUT_API_TOKEN: key } }),
  npm("slack", "@modelcontextprotocol/server-slack", { env: { SLACK_BOT_TOKEN: key, SLACK_TEAM_ID: "T1" } }),
  npm("tavily", "tavily-mcp", { env: { TAVILY_API_KEY: key } }),
  pypi("aws-documentation", "awslabs.aws-documentation-mcp-server"),
  pypi("calculator", "mcp-server-calculator", {
    calls: { calculate: { arguments: { expression: "6 * 7" }, says: /42/ } },
  }),
  pypi("clickhouse", "mcp-clickhouse", {
    env: { CLICKHOUSE_HOST: "127.0.0.1", CLICKHOUSE_USER: "nobody", CLICKHOUSE_PASSWORD: key },
  }),
  pypi("duckduckgo", "duckduckgo-mcp-server"),
  pypi("excel", "excel-mcp-server", {
    args: ["stdio"],
    calls: { create_workbook: { arguments: { filepath: "{folder}/owls.xlsx" }, says: /owls\.xlsx/ } },
  }),
  pypi("fetch", "mcp-server-fetch"),
  pypi("git", "mcp-server-git"),
  pypi("grafana", "mcp-grafana", { env: { GRAFANA_URL: nowhere, GRAFANA_SERVICE_ACCOUNT_TOKEN: key } }),
  pypi("sqlite", "mcp-server-sqlite", {
    args: ["--db-path", "{folder}/owls.db"],
    calls: { list_tables: { arguments: {}, says: /\[\]/ } },
  }),
  pypi("time", "mcp-server-time", {
    args: ["--local-timezone", "UTC"],
    calls: { get_current_time: { arguments: { timezone: "Asia/Tokyo" }, says: /\+09:00/ } },
  }),
  go("go-everything", "everything"),
  go("go-memory", "memory"),
  go("go-thinking", "sequentialthinking"),
  go("go-schemas", "toolschemas"),
];
