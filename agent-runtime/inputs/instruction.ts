// The agent's instruction, from the run configuration or from a ConfigMap's mounted file, and whether it can be had.
import type { RunConfig } from "../../crds/run-config.ts";
import { CallError } from "../call-error.ts";
import type { MountedFiles } from "./mounted-files.ts";
import type { Place } from "./secrets.ts";

/** The instruction's file is not mounted. The message names the cure. */
class InstructionMissing extends CallError {
  override readonly name = "InstructionMissing";
}

const cures: Record<Place, string> = {
  cluster: "create it in the agent's namespace",
  local: "put the ConfigMap beside the manifests",
};

/** The instruction as of now. Rejects with InstructionMissing. */
export async function observeInstruction(
  instruction: RunConfig["instruction"],
  texts: MountedFiles,
  place: Place,
): Promise<string> {
  if ("text" in instruction) return instruction.text;
  const { name, key } = instruction.configMap;
  const text = await texts.read(instruction.configMap);
  if (text !== undefined) return text;
  throw new InstructionMissing(`ConfigMap "${name}" has no readable key "${key}" for the instruction: ${cures[place]}`);
}
