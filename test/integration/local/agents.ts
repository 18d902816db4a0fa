// Agents beside those of the quickstart, for what a chat can come upon.

export const agentManifest = (name: string, spec = ""): string =>
  `apiVersion: pallas.helu.ca/v1alpha1\nkind: PallasAgent\nmetadata: { name: ${name} }\nspec:\n  instanceRef: { name: quickstart }\n${spec}---\n`;

/** `snail` answers after three seconds, `seer` takes images, `diary` has one conversation for all. */
export const moreAgents = [
  agentManifest("snail", "  model: slow.x\n"),
  agentManifest("seer", "  model: passthrough.x\n  modelCapabilities: { vision: true }\n"),
  agentManifest("diary", "  scope: shared\n"),
].join("");

/** The smallest PNG there is. */
export const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
