// `agents_create`, `agents_update` and `agents_delete`.
import * as z from "zod";
import { apiVersion } from "../../../crds/names.ts";
import { isJsonObject } from "../../../lib/mcp/json-rpc.ts";
import { parseAgent } from "../../../plan/parse.ts";
import { formatProblem } from "../../../plan/validation-error.ts";
import { seesAgent } from "../access.ts";
import { applyMergePatch } from "../../merge-patch.ts";
import type { PresetSource } from "../../state/presets.ts";
import { listPresets } from "../presets.ts";
import { findAgent } from "./find-agent.ts";
import { agentId, defineTool, renderAnswer, ToolRefused, type ManagementTool } from "./tool.ts";
import { renderWritten, requireSound, requireVisible, type WriteParts } from "./write-agent.ts";

const spec = z.record(z.string(), z.json());

export function createAgentsWrite(parts: WriteParts, presets: PresetSource): ManagementTool[] {
  return [createCreate(parts, presets), createUpdate(parts), createDelete(parts)];
}

function createCreate(parts: WriteParts, presets: PresetSource): ManagementTool {
  const { state, writesFor } = parts;
  return defineTool({
    name: "agents_create",
    title: "Create an agent",
    description: "Creates an agent of this instance from a preset, a spec, or a preset with changes.",
    role: "admin",
    writes: true,
    annotations: { destructiveHint: false },
    args: z.strictObject({
      name: z.string().min(1).max(63).meta({ description: "Its name, for good." }),
      preset: z.string().max(253).meta({ description: "One of resource://presets/list." }).exactOptional(),
      spec: spec
        .meta({
          description: "Of a PallasAgent, without instanceRef; a merge patch of the preset's, where there is one.",
        })
        .exactOptional(),
    }),
    async call({ name, preset, spec: own = {} }, identity) {
      if (!seesAgent(identity, name)) {
        throw new ToolRefused("forbidden", `"${name}" is not for you to create: your role is narrowed to other names`);
      }
      if (state.getAgent(name) !== undefined) {
        throw new ToolRefused("conflict", `agent "${name}" is there already; agents_update changes it`);
      }
      const wanted = applyMergePatch(preset === undefined ? {} : findPreset(presets, preset), own);
      const whole = withInstance(wanted, state.instance);
      requireVisible(identity, whole);
      requireSound(parts, { name, spec: whole });
      const metadata = { name, namespace: state.namespace };
      const manifest = parseAgent({ apiVersion, kind: "PallasAgent", metadata, spec: whole });
      if (!manifest.ok) throw new ToolRefused("invalid", manifest.problems.map(formatProblem).join("\n"));
      return renderWritten(parts, await writesFor(identity).agents.create(manifest.value));
    },
  });
}

function findPreset(presets: PresetSource, name: string): unknown {
  const all = listPresets(presets);
  const found = all.find((each) => each.name === name);
  if (found === undefined) {
    const names = all.map((each) => `"${each.name}"`).join(", ");
    throw new ToolRefused("not_found", `preset "${name}" is not there; there is ${names === "" ? "none" : names}`);
  }
  if (found.spec === undefined) throw new ToolRefused("invalid", `preset "${name}": ${found.problem}`);
  return found.spec;
}

/** An agent that is made here is of this instance; another is an error, and not passed over. */
function withInstance(wanted: unknown, instance: string): Record<string, unknown> {
  const fields = isJsonObject(wanted) ? wanted : {};
  const { instanceRef } = fields;
  if (instanceRef !== undefined && !(isJsonObject(instanceRef) && instanceRef["name"] === instance)) {
    const message = `spec.instanceRef: agents that are made here are of instance "${instance}"; leave it out`;
    throw new ToolRefused("invalid", message);
  }
  return { ...fields, instanceRef: { name: instance } };
}

function createUpdate(parts: WriteParts): ManagementTool {
  const { state, writesFor } = parts;
  return defineTool({
    name: "agents_update",
    title: "Change an agent",
    description: "Changes an agent's spec by a merge patch: null takes a field away, a list is replaced whole.",
    role: "admin",
    writes: true,
    annotations: { destructiveHint: true, idempotentHint: true },
    args: z.strictObject({ agent_id: agentId, spec: spec.meta({ description: "The fields to change." }) }),
    async call({ agent_id, spec: patch }, identity) {
      const agent = findAgent(state, identity, agent_id);
      const changed = applyMergePatch(agent.spec, patch);
      if (JSON.stringify(Reflect.get(Object(changed), "instanceRef")) !== JSON.stringify(agent.spec.instanceRef)) {
        throw new ToolRefused("invalid", "spec.instanceRef: cannot change; create another agent instead");
      }
      requireVisible(identity, changed, agent.spec);
      requireSound(parts, { name: agent_id, spec: changed });
      return renderWritten(parts, await writesFor(identity).agents.patch(agent_id, { spec: patch }));
    },
  });
}

function createDelete(parts: WriteParts): ManagementTool {
  const { state, writesFor } = parts;
  return defineTool({
    name: "agents_delete",
    title: "Delete an agent",
    description: "Deletes an agent that no other agent uses. Its calls are ended in good order.",
    role: "admin",
    writes: true,
    annotations: { destructiveHint: true, idempotentHint: true },
    args: z.strictObject({ agent_id: agentId }),
    async call({ agent_id }, identity) {
      findAgent(state, identity, agent_id);
      requireSound(parts, { name: agent_id, spec: undefined });
      await writesFor(identity).agents.delete(agent_id);
      return renderAnswer({ deleted: agent_id });
    },
  });
}
