// What those who write manifests can rely on: configuration (CFG) and the caller's token (BRR).
import type { Requirements } from "./requirement.ts";

export const configurationRequirements: Requirements = {
  "CFG-1": {
    promise: "An instance and its agents say in manifests all that an agent runs with, the agent's own word first.",
    shown: [
      "plan/settings.test.ts",
      "plan/accept-amounts.test.ts",
      "plan/run-config.test.ts",
      "plan/models.test.ts",
      "crds/to-crd.test.ts",
    ],
    missing: "workflows",
  },
  "CFG-2": {
    promise: "The named providers work with keys from Secrets, and keyless ones serve for trial and tests.",
    shown: [
      "agent-runtime/model/ai-sdk.test.ts",
      "agent-runtime/model/providers.test.ts",
      "test/bundle.test.ts",
      "test/models/cross-check.test.ts",
      "agent-runtime/model/built-in.test.ts",
    ],
  },
  "CFG-3": {
    promise: "Sampling is set per agent; what a model refuses is left out with one warning.",
    shown: [
      "agent-runtime/model/sampling.test.ts",
      "agent-runtime/model/faults.test.ts",
      "agent-runtime/model/caching.test.ts",
    ],
  },
  "CFG-4": {
    promise: "Capabilities are declared or published by the provider, never guessed from a name.",
    shown: ["plan/models.test.ts", "agent-runtime/model/preflight.test.ts"],
  },
  "CFG-5": {
    promise: "Unknown fields, dangling references and contradictions are refused with field, value and cure.",
    shown: [
      "test/integration/schema-differential.test.ts",
      "test/integration/schema-installed.test.ts",
      "test/integration/faults-fields.test.ts",
      "plan/check.test.ts",
      "test/judgement.test.ts",
      "plan/accept-amounts.test.ts",
      "plan/accept-output.test.ts",
      "plan/accept-pods.test.ts",
      "cli/manifests/judge.test.ts",
      "test/chart/admission.test.ts",
    ],
  },
  "CFG-6": {
    promise:
      "Placeholders expand in local mode, an unset one is named and degrades, and in a cluster they are refused.",
    shown: ["plan/accept.test.ts", "cli/manifests/judge.test.ts", "agent-runtime/inputs/inputs.test.ts"],
  },
  "CFG-7": {
    promise: "A downstream's header that refers to an unset variable is warned of at start.",
    shown: ["cli/manifests/judge.test.ts", "agent-runtime/inputs/inputs.test.ts"],
  },
  "CFG-8": {
    promise: "Iterations, tool calls, tokens, time and result sizes are limited, each with a clear error.",
    shown: [
      "agent-runtime/loop/budget.test.ts",
      "agent-runtime/loop/run-loop.test.ts",
      "agent-runtime/tools/downstream.test.ts",
      "agent-runtime/loop/compact.test.ts",
      "agent-runtime/loop/hostile-model.test.ts",
      "agent-runtime/loop/queue.test.ts",
      "agent-runtime/tools/tools.test.ts",
      "lib/mcp/call-deadline.test.ts",
    ],
  },

  "BRR-1": {
    promise: "The caller's token goes only to servers that ask for it, and a configured header wins over it.",
    shown: ["agent-runtime/bearer.test.ts", "lib/mcp/serve.test.ts", "test/integration/bearer.test.ts"],
  },
  "BRR-2": {
    promise: "Under any interleaving a downstream sees exactly the token of the call it serves.",
    shown: [
      "agent-runtime/bearer.test.ts",
      "agent-runtime/tools/interleavings.test.ts",
      "lib/mcp/link-pool.test.ts",
      "agent-runtime/asking.test.ts",
      "lib/mcp/connect.test.ts",
      "agent-runtime/admin.test.ts",
      "test/integration/bearer.test.ts",
    ],
  },
  "BRR-3": {
    promise: "Passing the token to the model's provider is asked for apart, probes carry none, and redirects drop it.",
    shown: [
      "agent-runtime/model/ai-sdk.test.ts",
      "agent-runtime/model/models.test.ts",
      "agent-runtime/model/preflight.test.ts",
      "agent-runtime/access-tokens.test.ts",
      "lib/mcp/safe-fetch.test.ts",
      "test/integration/bearer.test.ts",
    ],
  },
  "BRR-4": {
    promise: "Tokens, prompts and tool arguments appear in no log, metric, event, status or ConfigMap.",
    shown: [
      "lib/process/log.test.ts",
      "lib/mcp/downstream-words.test.ts",
      "lib/mcp/client-credentials.test.ts",
      "agent-runtime/bearer.test.ts",
      "agent-runtime/model/one-result.test.ts",
      "plan/run-config.test.ts",
      "test/integration/bearer.test.ts",
    ],
    missing: "a search for planted secrets in events and statuses",
  },
};
