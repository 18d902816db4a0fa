// The agent's own URL as whoever asks knows it: the published one where it was asked by that host, else the one that
// was asked. The Host has been checked before.

/** `published` undefined: the agent is reached by its Service, or on this machine. */
export function urlAsAsked(published: string | undefined, requestUrl: string): string {
  const { host } = new URL(requestUrl);
  const isPublished = published !== undefined && URL.canParse(published) && new URL(published).host === host;
  return isPublished ? published : `http://${host}/mcp`;
}
