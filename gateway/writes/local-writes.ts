// Writes in local mode, where resources are files that people edit: there are none.
import { WriteRefused, type WritesFor } from "../state/state.ts";

const refuse = async (): Promise<never> => {
  throw new WriteRefused("agents of pallas up are files: edit the manifests, and it follows");
};

export const localWrites: WritesFor = () => ({ createAgent: refuse, patchAgent: refuse, deleteAgent: refuse });
