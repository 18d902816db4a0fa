// Of which servers an agent tells its gateway what tools they have.
import { describe, expect, it } from "vitest";
import { renderResolved } from "./resolved.ts";
import { sampleAgent, sampleInstance, sampleNeighbourhood, sampleUrls } from "./testing/resources.ts";

const headers = [{ name: "X-Key", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } }];
const oauth = {
  tokenUrl: "https://login.example.com/token",
  clientId: "c",
  clientSecret: { secretKeyRef: { name: "keys", key: "s" } },
};
const servers = [
  { name: "plain", headers: [{ name: "X-Team", value: "blue" }] },
  { name: "keyed", headers },
  { name: "own-token", auth: { oauth } },
  { name: "callers", headers, forwardInboundAuth: true },
].map((server) => ({ ...server, url: "http://tools.example.com/mcp" }));

function reportedOf(gateway: object) {
  const agent = sampleAgent("a", { servers: servers.map(({ name }) => ({ name })) });
  const around = sampleNeighbourhood(sampleInstance({ servers, ...gateway }), agent);
  const { config } = renderResolved(agent, around, sampleUrls);
  return config.servers.flatMap(({ name, reported }) => (reported === true ? [name] : []));
}

describe("DSC-3 an agent reports the tools of a server", () => {
  it("that needs secrets, and is not listed to callers' tokens", () => {
    expect(reportedOf({ gateway: {} })).toEqual(["keyed", "own-token"]);
  });

  it("only where its instance has a gateway", () => {
    expect(reportedOf({})).toEqual([]);
  });
});
