// The agent's instruction, from the run configuration or from a ConfigMap's mounted file, and whether it can be had.
import type { RunConfig } from "../../crds/run-config.ts";
import { CallFault } from "../call-fault.ts";
import type { MountedFiles } from "./mounted-files.ts";

/** The instruction's file is not mounted. The message names the cure. */
class InstructionMissing extends CallFault {
  override readonly name = "InstructionMissing";
}

/** The instruction as of now. Rejects with InstructionMissing. */
export async function observeInstruction(instruction: RunConfig["instruction"], texts: MountedFiles): Promise<string> {
  if ("text" in instruction) return instruction.text;
  const { name, key } = instruction.configMap;
  const text = await texts.read(instruction.configMap);
  if (text !== undefined) return text;
  throw new InstructionMissing(
    `ConfigMap "${name}" has no readable key "${key}" for the instruction: create it in the agent's namespace`,
  );
}
