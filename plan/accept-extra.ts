// Fields that an author adds to requests to a model (request.extra): any JSON, so that the API server cannot judge it. What the
// agent itself says to its model is not theirs to change, and all of it is in the run-config, which has to stay small.
import { reservedExtraFields } from "../crds/agent-settings.ts";
import type { InstanceSpec } from "../crds/instance.ts";
import type { Fault } from "./fault.ts";

const bytesMax = 16 * 1024;
const depthMax = 16;

type Request = NonNullable<InstanceSpec["agentDefaults"]>["request"];

/** `path` is that of the request. */
export function extraFaults(path: string, request: Request): Fault[] {
  const { extra = {} } = request ?? {};
  const fault = (message: string): Fault => ({ reason: "InvalidField", path: `${path}.extra`, message });
  const reserved = Object.keys(extra).filter((name) => reservedExtraFields.some((each) => each === name));
  const faults = reserved.map((name) => fault(`"${name}" is set by the agent itself; remove it`));
  if (isDeeper(extra, depthMax)) {
    return [...faults, fault(`expected at most ${depthMax} levels of nesting, found more; send a flatter value`)];
  }
  const bytes = new TextEncoder().encode(JSON.stringify(extra)).length;
  if (bytes > bytesMax) faults.push(fault(`expected at most ${bytesMax} bytes of JSON, found ${bytes}; send less`));
  return faults;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
