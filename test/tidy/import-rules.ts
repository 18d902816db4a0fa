// Who may import whom (ARCHITECTURE: the rooms). Cycles are the linter's, imports of no file the compiler's.
import type { SourceFile, SourceImport } from "./source-tree.ts";

interface FolderRule {
  /** Longest prefix wins, so a part of a folder can have a rule of its own. */
  prefix: string;
  /** Prefixes of our own files that may be imported; its own prefix always may. */
  own: string[];
  /** Packages that may be imported; absent = any. Type imports and tests are free. */
  packages?: string[];
}

const rules: readonly FolderRule[] = [
  { prefix: "crds/", own: [], packages: ["zod"] },
  { prefix: "crds/to-crd.ts", own: ["crds/"], packages: ["zod", "node:*", "js-yaml"] },
  { prefix: "crds/to-reference.ts", own: ["crds/"], packages: ["node:*"] },
  { prefix: "plan/", own: ["crds/", "lib/policy/"], packages: ["zod", "node:crypto"] },
  { prefix: "lib/process/", own: [] },
  { prefix: "lib/kube/", own: ["lib/process/"] },
  { prefix: "lib/mcp/", own: ["lib/process/", "lib/outgoing/"] },
  { prefix: "lib/auth/", own: ["lib/process/", "lib/mcp/"] },
  { prefix: "lib/approvals/", own: ["crds/", "lib/policy/", "lib/mcp/", "lib/process/"], packages: ["node:crypto"] },
  { prefix: "lib/outgoing/", own: ["lib/process/"] },
  { prefix: "lib/policy/", own: [], packages: ["node:crypto"] },
  { prefix: "lib/", own: [] },
  { prefix: "agent-runtime/", own: ["crds/", "lib/"] },
  { prefix: "operator/", own: ["crds/", "plan/", "lib/"] },
  { prefix: "operator/render/", own: ["crds/", "plan/"], packages: ["node:crypto"] },
  { prefix: "operator/render/testing/", own: ["operator/render/", "crds/", "plan/"], packages: ["js-yaml"] },
  { prefix: "registry/", own: ["crds/", "plan/", "lib/"] },
  { prefix: "gateway/", own: ["crds/", "plan/", "lib/"] },
  { prefix: "bridge/", own: ["crds/", "lib/"] },
  // It runs in a browser: nothing of Node, and every package is a part of the first load.
  {
    prefix: "dashboard/",
    own: ["crds/"],
    packages: ["preact", "@preact/signals", "@modelcontextprotocol/client", "zod", "marked", "js-yaml"],
  },
  // Loaded on use. Who edits rules is told at once what would be said of them.
  {
    prefix: "dashboard/views/policies/",
    own: ["dashboard/", "crds/", "lib/policy/"],
    packages: ["preact", "@preact/signals", "zod", "js-yaml"],
  },
  {
    prefix: "dashboard/views/agent/tabs/",
    own: ["dashboard/", "crds/"],
    packages: ["preact", "@preact/signals", "zod", "js-yaml"],
  },
  { prefix: "cli/", own: ["crds/", "plan/", "lib/"] },
  // How Pallas is packed: of the programs these know the bundle, and of the operator its rights.
  { prefix: "images/", own: ["build.ts"] },
  { prefix: "charts/", own: ["crds/", "operator/rights.ts"] },
];

/** What tests of any folder may import too: the stand-in of paid models, and what a test needs of the machine. */
const forTests = ["test/models/", "test/tools/"];

/** One sentence per import that a rule forbids. */
export function findForbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    if (file.path.startsWith("test/") || file.path.startsWith("examples/") || !file.path.includes("/")) return [];
    const rule = rules.filter(({ prefix }) => file.path.startsWith(prefix)).sort(byPrefixLength)[0];
    if (rule === undefined) {
      return [`${file.path} lies in no folder that has an import rule: add one to test/tidy/import-rules.ts`];
    }
    return file.imports
      .filter((each) => !isAllowed(file, each, rule))
      .map(({ specifier }) => `${file.path} may not import ${specifier}`);
  });
}

const byPrefixLength = (a: FolderRule, b: FolderRule): number => b.prefix.length - a.prefix.length;

function isAllowed(file: SourceFile, { specifier, typeOnly, file: target }: SourceImport, rule: FolderRule): boolean {
  if (target !== undefined) {
    const own = [rule.prefix, ...rule.own, ...(file.isTest ? forTests : [])];
    return own.some((prefix) => target.startsWith(prefix));
  }
  if (file.isTest || typeOnly || rule.packages === undefined) return true;
  return rule.packages.some((name) =>
    name.endsWith("*")
      ? specifier.startsWith(name.slice(0, -1))
      : specifier === name || specifier.startsWith(`${name}/`),
  );
}
