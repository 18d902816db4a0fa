// Writes in local mode, where agents and servers are files that people edit: there are none.
import { WriteRefused, type ResourceWrites, type WritesFor } from "../state/state.ts";

function refuseAll(what: string): ResourceWrites<never> {
  const refuse = async (): Promise<never> => {
    throw new WriteRefused(`${what} of pallas up are files: edit the manifests, and it follows`, {
      kind: "not-allowed",
    });
  };
  return { create: refuse, patch: refuse, upsert: refuse, delete: refuse };
}

export const localWrites: WritesFor = () => ({
  agents: refuseAll("agents"),
  servers: refuseAll("servers"),
  policies: refuseAll("policies"),
  registrations: refuseAll("registrations"),
});
