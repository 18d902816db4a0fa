import { describe, expect, it } from "vitest";
import { parseEnvironment, renderBaseEnvironment } from "./environment.ts";

const own = {
  ...{ PATH: "/usr/bin", HOME: "/home/somebody", PALLAS_SECRETS_DIR: "/secrets", KUBERNETES_SERVICE_HOST: "10.0.0.1" },
  ...{ HTTPS_PROXY: "http://proxy:3128", NO_PROXY: ".svc", NODE_EXTRA_CA_CERTS: "/ca.crt", npm_config_registry: "x" },
};
const base = (inherit: "none" | "user") =>
  renderBaseEnvironment(parseEnvironment({ PALLAS_BRIDGE_WORK: "/work", PALLAS_BRIDGE_INHERIT: inherit }), own);

describe("DSC-6 what a server's processes find of the bridge's own variables", () => {
  it("in a pod is the way out that its instance says, with every folder where it may write", () => {
    const { PATH, LANG, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, ...folders } = base("none");
    expect({ PATH, LANG, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS }).toEqual({
      ...{ PATH: "/usr/bin", LANG: "C.UTF-8", HTTPS_PROXY: own.HTTPS_PROXY },
      ...{ NO_PROXY: ".svc", NODE_EXTRA_CA_CERTS: "/ca.crt" },
    });
    expect(Object.keys(folders)).toContain("UV_TOOL_DIR");
    for (const folder of Object.values(folders)) expect(folder).toMatch(/^\/work\//);
  });

  it("on a machine is what its user has, and nothing of Pallas", () => {
    expect(base("user")).toMatchObject({ HOME: "/home/somebody", npm_config_registry: "x", NO_PROXY: ".svc" });
    expect(Object.keys(base("user")).filter((name) => name.startsWith("PALLAS_"))).toEqual([]);
  });
});
