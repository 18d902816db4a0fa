// The tools of a run as one model is offered them: schemas and descriptions that its provider takes, and no more tools than it
// takes. What has to be left out is named, to the log and to the model.
import type { RunProvider } from "../../crds/run-config.ts";
import { fitToolSchema, type FittedSchema } from "./tool-schemas/fit-schema.ts";
import type { ModelTool } from "./types.ts";

export interface FittedTool extends FittedSchema {
  name: string;
  description: string;
}

export interface LeftOut {
  tool: ModelTool;
  reason: string;
}

export interface ToolLimits {
  maxTools: number;
  maxDescriptionChars: number;
  /** By name: their provider refused them. */
  refused: ReadonlySet<string>;
}

export interface OfferedTools {
  offered: readonly FittedTool[];
  leftOut: readonly LeftOut[];
}

export type FitTools = (tools: readonly ModelTool[], limits: ToolLimits) => OfferedTools;

/** Schemas are adapted once, for as long as the list of their server is kept. */
export function createToolFitting(kind: RunProvider["kind"]): FitTools {
  const schemas = new WeakMap<object, FittedSchema>();
  const fit = (raw: Record<string, unknown>) => {
    const fitted = schemas.get(raw) ?? fitToolSchema(kind, raw);
    schemas.set(raw, fitted);
    return fitted;
  };
  return (tools, { maxTools, maxDescriptionChars, refused }) => {
    const taken = tools.filter(({ name }) => !refused.has(name));
    const offered = taken.slice(0, maxTools).map(({ name, description, inputSchema }) => ({
      ...fit(inputSchema),
      name,
      description: cutDescription(description, maxDescriptionChars),
    }));
    const leftOut = [
      ...tools.filter(({ name }) => refused.has(name)).map((tool) => ({ tool, reason: "the provider refuses it" })),
      ...taken.slice(maxTools).map((tool) => ({ tool, reason: `the provider takes ${maxTools} tools at most` })),
    ];
    return { offered, leftOut };
  };
}

const mark = " […]";
/** A word that is longer is cut inside. */
const maxWordChars = 100;

/** Cut at a word, and marked. */
export function cutDescription(text: string, max: number): string {
  const whole = text.toWellFormed().trim();
  if (whole.length <= max) return whole;
  const room = whole.slice(0, max - mark.length);
  const space = room.search(/\s\S*$/);
  const end = space >= room.length - maxWordChars && space > 0 ? space : room.length;
  return `${room.slice(0, end).trimEnd().toWellFormed()}${mark}`;
}

const namesTold = 20;

/** What the model reads of tools that it is not offered; empty where it is offered all. */
export function renderLeftOut(leftOut: readonly LeftOut[]): string {
  if (leftOut.length === 0) return "";
  const names = leftOut.slice(0, namesTold).map(({ tool }) => tool.name);
  const more = leftOut.length > namesTold ? ` and ${leftOut.length - namesTold} more` : "";
  return `\n\nThese tools exist but cannot be offered to you now, say so where they are needed: ${names.join(", ")}${more}.`;
}
