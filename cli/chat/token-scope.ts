// To whom `pallas chat` sends its token: the registry's own host, which the user named, and hosts that the user named for it.
// What a catalogue says is no permission: it may be anybody's, and comes over plain HTTP.

/** Undefined when the token may go to that agent, else why not and what lets it. */
export function refuseToken(agentUrl: string, registryUrl: string, named: readonly string[]): string | undefined {
  const [agent, registry] = [new URL(agentUrl), new URL(registryUrl)];
  if (named.includes(agent.hostname)) return undefined;
  const cure = `add --token-host ${agent.hostname} to send it`;
  if (agent.hostname !== registry.hostname) {
    return `PALLAS_TOKEN is not sent to ${agent.hostname}, since the registry is on ${registry.hostname}; ${cure}`;
  }
  if (registry.protocol === "https:" && agent.protocol !== "https:") {
    return `PALLAS_TOKEN is not sent to ${agent.origin}, since that is not encrypted and the registry is; ${cure}`;
  }
  return undefined;
}
