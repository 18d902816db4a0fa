// Every address of the page that the scene has something to show at.
export const viewRoutes = [
  "#/agents",
  "#/agents/bookkeeper",
  "#/agents/bookkeeper/runs",
  "#/agents/bookkeeper/tools",
  "#/agents/bookkeeper/policy",
  "#/agents/bookkeeper/definition",
  "#/agents/new",
  "#/approvals",
  "#/approvals/decided",
  "#/servers",
  "#/servers/payments",
  "#/servers/broken",
  "#/discover?q=transfer+money",
  "#/discover/install",
  "#/tester/payments/tools/create_transfer",
  "#/tester/payments/resources",
  "#/policies",
  "#/policies/careful",
  "#/policies/careful/try",
  "#/calls",
  "#/directory",
] as const;

/** A file's name for an address. */
export const nameOfRoute = (route: string): string =>
  route.replace(/^#\//, "").replace(/\?.*$/, "").replaceAll("/", "-");
