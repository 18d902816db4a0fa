import { expect, test } from "vitest";
import { renderAllowedHosts } from "./hosts.ts";
import { testConfig } from "./testing/resources.ts";

test("SEC-4 a gateway is addressed by its Service, its pod and what is listed, and by nothing else", () => {
  const config = testConfig({ http: { allowedHosts: ["agents.example.com"], allowedOrigins: [], bodyLimitBytes: 1 } });
  const service = ["", ".agents", ".agents.svc", ".agents.svc.cluster.local"].map((rest) => `ouranos-gateway${rest}`);
  const own = renderAllowedHosts(config);
  expect(own).toEqual(expect.arrayContaining([...service, "localhost", "agents.example.com"]));
  expect(renderAllowedHosts(config, "10.1.2.3")).toEqual(expect.arrayContaining([...own, "10.1.2.3"]));
  expect(renderAllowedHosts(config, "10.1.2.3")).toHaveLength(own.length + 1);
});
