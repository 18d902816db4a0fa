// What callers of a directory send, for tests: the least that is valid, with what a case changes on top.

export const endpoint = (changes: object = {}) => ({
  name: "primary",
  transport: "Http",
  protocol: "A2A",
  address: "https://a.example",
  livenessModel: "Persistent",
  heartbeatIntervalSeconds: 10,
  ...changes,
});
export const agent = (changes: object = {}) => ({ name: "Weather", endpoints: [endpoint()], ...changes });
export const card = (changes: object = {}) => ({
  serverInfo: { name: "Cards", version: "1" },
  endpoints: { streamableHttp: "https://a.example/mcp" },
  ...changes,
});
