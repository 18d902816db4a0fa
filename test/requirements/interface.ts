// What clients see: the catalogue (CAT), an agent's MCP endpoint (AGT), progress (PRG), health (HLT).
import type { Requirements } from "./requirement.ts";

const daedalus = "test/integration/daedalus.test.ts";

export const interfaceRequirements: Requirements = {
  "CAT-1": {
    promise: "The well-known server.json answers 200 with one entry per agent that the registry serves.",
    shown: ["registry/catalogue/routes.test.ts", "registry/main.test.ts", daedalus],
  },
  "CAT-2": {
    promise: "An entry is named namespace/slug, no slug is served twice, and a clash shows in /healthz only.",
    shown: ["plan/catalogue.test.ts", "registry/catalogue/listing.test.ts", "registry/health/routes.test.ts"],
  },
  "CAT-3": {
    promise: "Schema, title, description of 1 to 100 characters, version and icons have their form and defaults.",
    shown: ["plan/catalogue.test.ts", "crds/names.test.ts"],
  },
  "CAT-4": {
    promise: "Each entry has a streamable-http remote that its clients can reach and that ends in /mcp.",
    shown: ["plan/urls.test.ts", "plan/catalogue.test.ts", daedalus],
  },
  "CAT-5": {
    promise: "Declared capabilities of the model are published, completed by defaults where declared in part.",
    shown: ["plan/catalogue.test.ts", "plan/models.test.ts", daedalus],
  },
  "CAT-6": {
    promise:
      "The official metadata stays closed, ours stands under a key of its own, and every accepted agent is listed.",
    shown: [
      "plan/catalogue.test.ts",
      "registry/catalogue/listing.test.ts",
      "operator/spec-changed.test.ts",
      "test/judgement.test.ts",
      "plan/rules.test.ts",
    ],
  },
  "CAT-7": {
    promise: "Every entry is valid by the published JSON schema.",
    shown: ["plan/catalogue-schema.test.ts", "registry/catalogue/routes.test.ts"],
  },
  "CAT-8": {
    promise: "A change shows within 100 ms at 1,000 agents, from memory, with ETag and compressed bodies.",
    shown: [
      "registry/catalogue/routes.test.ts",
      "registry/catalogue/listing.test.ts",
      "registry/catalogue/publisher.test.ts",
      "registry/catalogue/live-document.test.ts",
      "registry/catalogue/direct.test.ts",
    ],
    missing: "a test of the 99th percentile: make bench measures it",
  },
  "CAT-9": {
    promise:
      "A registry serves one instance or several, an empty list when there is nothing, 503 before its first sync.",
    shown: [
      "registry/catalogue/routes.test.ts",
      "registry/catalogue/direct.test.ts",
      "registry/source/watch.test.ts",
      "registry/environment.test.ts",
      "test/integration/registry-outage.test.ts",
    ],
  },
  "CAT-10": {
    promise: "The registry also speaks the generic read API of MCP registries.",
    shown: [
      "registry/servers/routes.test.ts",
      "registry/servers/query.test.ts",
      "registry/servers/records.test.ts",
      "registry/openapi/document.test.ts",
      "test/integration/registry-clients.test.ts",
    ],
  },
  "CAT-11": {
    promise: "The AI catalogue and a server card per agent are published.",
    shown: ["registry/discovery/routes.test.ts", "agent-runtime/card.test.ts", "plan/run-config.test.ts"],
  },

  "AGT-1": {
    promise: "send_message, also under the agent's own name, answers with one text block of all the model wrote.",
    shown: ["agent-runtime/mcp-surface/surface.test.ts", "agent-runtime/loop/run-loop.test.ts", daedalus],
  },
  "AGT-2": {
    promise: "Images reach the model with the text; one it cannot take is a tool error that names the fault.",
    shown: [
      "agent-runtime/mcp-surface/surface.test.ts",
      "agent-runtime/mcp-surface/attachments.test.ts",
      "agent-runtime/image-data.test.ts",
    ],
  },
  "AGT-3": {
    promise: "get_health takes no arguments, is described exactly as clients know it, and asks no model.",
    shown: ["agent-runtime/mcp-surface/surface.test.ts", daedalus],
  },
  "AGT-4": {
    promise: "The history prompt gives the whole stored conversation, images included, page by page.",
    shown: [
      "agent-runtime/mcp-surface/history-prompt.test.ts",
      "agent-runtime/session/history-index.test.ts",
      "agent-runtime/session/image-files.test.ts",
      "agent-runtime/session/scopes.test.ts",
      "agent-runtime/session/session.test.ts",
      "agent-runtime/loop/compact.test.ts",
      "agent-runtime/loop/compact-property.test.ts",
      daedalus,
    ],
  },
  "AGT-5": {
    promise: "Scopes decide who shares a history; calls on one wait for each other, others run side by side.",
    shown: [
      "agent-runtime/session/retention.test.ts",
      "agent-runtime/large-history.test.ts",
      "agent-runtime/session/scopes.test.ts",
      "agent-runtime/restart.test.ts",
      "agent-runtime/session/crash.test.ts",
      "agent-runtime/loop/compact-property.test.ts",
      "agent-runtime/loop/queue.test.ts",
      "lib/mcp/resume.test.ts",
      "test/compat/clients.test.ts",
      "test/integration/agent-drain.test.ts",
      "test/e2e/storage.test.ts",
      daedalus,
    ],
  },
  "AGT-6": {
    promise:
      "Both generations of the protocol are served on one URL, the older with sessions unless there are replicas.",
    shown: [
      "lib/mcp/serve.test.ts",
      "lib/mcp/sessions.test.ts",
      "agent-runtime/several-pods.test.ts",
      "lib/mcp/connect.test.ts",
      "agent-runtime/tools/odd-servers.test.ts",
      "lib/mcp/event-buffer.test.ts",
      "test/integration/hostile-bodies.test.ts",
      daedalus,
    ],
  },
  "AGT-7": {
    promise: "A failure is a result with a text to act on, a protocol error a JSON-RPC error, and each call ends once.",
    shown: [
      "agent-runtime/runtime.test.ts",
      "agent-runtime/loop/run-loop.test.ts",
      "agent-runtime/model/one-result.test.ts",
      "agent-runtime/loop/tool-calls.test.ts",
      "agent-runtime/loop/hostile-model.test.ts",
      "test/integration/agent-faults.test.ts",
      "lib/mcp/serve.test.ts",
      daedalus,
    ],
  },
  "AGT-8": {
    promise: "A cancelled call ends at the model and at every downstream server within a second.",
    shown: [
      "agent-runtime/cancellation.test.ts",
      "agent-runtime/loop/compact.test.ts",
      "agent-runtime/loop/queue.test.ts",
      "test/compat/clients.test.ts",
      "lib/mcp/cancel.test.ts",
      daedalus,
    ],
  },
  "AGT-9": {
    promise: "The official conformance suite passes on the shipped transport in both generations.",
    shown: ["test/conformance/server.test.ts", "test/conformance/agent.test.ts", "test/conformance/client.test.ts"],
  },
  "AGT-10": {
    promise: "A body over the configured limit, 32 MiB unless set, is a 413 with a JSON-RPC error.",
    shown: ["lib/mcp/request-body.test.ts", "agent-runtime/admin.test.ts"],
  },
  "AGT-11": {
    promise: "With auth.jwt set, only requests with a valid token get in.",
    shown: [
      "agent-runtime/auth.test.ts",
      "agent-runtime/token-refusals.test.ts",
      "lib/auth/keys.test.ts",
      "lib/mcp/owned-id.test.ts",
      "agent-runtime/two-tenants.test.ts",
      "plan/accept.test.ts",
      "plan/run-config.test.ts",
      "plan/egress.test.ts",
    ],
  },
  "AGT-12": {
    promise: "After SIGTERM an agent turns unready, serves on for a while, and lets calls in flight end.",
    shown: [
      "test/integration/agent-drain.test.ts",
      "agent-runtime/main.test.ts",
      "gateway/gateway.test.ts",
      "lib/process/http-server.test.ts",
      "lib/process/http-upgrade.test.ts",
      "test/integration/agent-faults.test.ts",
    ],
  },
  "AGT-13": {
    promise: "A result says in a declared structure how the conversation goes on and why it stopped.",
    shown: [
      "agent-runtime/mcp-surface/answer.test.ts",
      "agent-runtime/loop/run-loop.test.ts",
      "agent-runtime/loop/answer-schema.test.ts",
      "test/compat/clients.test.ts",
      "test/compat/hosts.test.ts",
      "test/docs/clients.test.ts",
    ],
  },
  "AGT-14": {
    promise: "What a provider refuses leaves a conversation as it was, and a caller can clear it.",
    shown: [
      "agent-runtime/loop/refusals.test.ts",
      "agent-runtime/mcp-surface/clear-history.test.ts",
      "agent-runtime/image-data.test.ts",
      "agent-runtime/session/history-index.test.ts",
      "agent-runtime/two-tenants.test.ts",
    ],
  },
  "AGT-15": {
    promise: "Any valid tool can be offered to any provider; one that is refused is left out and named.",
    shown: [
      "agent-runtime/model/refusing-vendors.test.ts",
      "agent-runtime/model/tool-schemas/fit-schema.test.ts",
      "agent-runtime/model/refusals.test.ts",
      "agent-runtime/model/vendor-faults.test.ts",
      "agent-runtime/model/vendor-refusals.test.ts",
      "agent-runtime/model/vendor-rules.test.ts",
      "agent-runtime/model/fit-tools.test.ts",
      "agent-runtime/model/fit-images.test.ts",
      "agent-runtime/tools/downstream.test.ts",
      "test/compat/servers.test.ts",
    ],
  },

  "PRG-1": {
    promise: "Progress is sent only to a progress token, never after the result, and a failed send disturbs nothing.",
    shown: [
      "agent-runtime/progress.test.ts",
      "agent-runtime/text-deltas.test.ts",
      "lib/mcp/dispatch.test.ts",
      "lib/mcp/serve.test.ts",
      daedalus,
    ],
  },
  "PRG-2": {
    promise: "Every step and every downstream call is told, in exactly the agreed words.",
    shown: ["agent-runtime/runtime.test.ts", daedalus],
  },
  "PRG-3": {
    promise:
      "Progress rises on each token; total is there on completed and failed lines only, equal to it, never null.",
    shown: ["agent-runtime/runtime.test.ts", "lib/mcp/serve.test.ts", daedalus],
  },
  "PRG-4": {
    promise: "Lines of parallel calls carry their own prefix, and progress from below is passed on with its message.",
    shown: ["agent-runtime/runtime.test.ts", "agent-runtime/progress.test.ts", daedalus],
  },
  "PRG-5": {
    promise: "Fifteen seconds of silence are ended by a heartbeat without a total.",
    shown: ["agent-runtime/progress.test.ts", "test/compat/clients.test.ts"],
  },

  "HLT-1": {
    promise: "get_health answers one text block of JSON: status, timestamp, and a message unless ok.",
    shown: ["agent-runtime/health/health.test.ts", "test/integration/agent-faults.test.ts", daedalus],
  },
  "HLT-2": {
    promise: "ok, degraded and error mean what was agreed, and the message names what is wrong.",
    shown: [
      "agent-runtime/health/health.test.ts",
      "agent-runtime/tools/unavailable.test.ts",
      "agent-runtime/session/jsonl-store.test.ts",
      "agent-runtime/health/many-downstreams.test.ts",
    ],
  },
  "HLT-3": {
    promise: "A downstream is probed with initialize and its session ended, within 3 s, shared by concurrent callers.",
    shown: [
      "lib/mcp/probe.test.ts",
      "agent-runtime/tools/unavailable.test.ts",
      "agent-runtime/health/health.test.ts",
      "agent-runtime/health/many-downstreams.test.ts",
    ],
  },
  "HLT-4": {
    promise: "Providers are asked for their models at start and again later; the answer warns and never blocks.",
    shown: [
      "agent-runtime/model/preflight.test.ts",
      "agent-runtime/model/providers.test.ts",
      "agent-runtime/health/many-downstreams.test.ts",
    ],
  },
  "HLT-5": {
    promise: "The registry's /healthz has each instance's provider validation, and every process has its probes.",
    shown: [
      "registry/health/routes.test.ts",
      "registry/main.test.ts",
      "gateway/gateway.test.ts",
      "lib/process/metrics.test.ts",
      "test/integration/registry-outage.test.ts",
    ],
  },
  "HLT-6": {
    promise: "An agent that cannot be asked counts as error, and health shows as conditions and metrics beside Ready.",
    shown: [
      "operator/agent/observed.test.ts",
      "test/integration/operator-health.test.ts",
      "cli/up/agent-status.test.ts",
    ],
  },
};
