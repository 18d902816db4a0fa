// What an agent behind a gateway is told of who signs its tokens, over an API server in this process.
import { describe, expect, it } from "vitest";
import { agentType, instanceType } from "../../crds/kinds.ts";
import { parseLiveConfig } from "../../crds/run-config.ts";
import { startScene, type Scene } from "../testing/scene.ts";

const signer = { issuer: "https://kubernetes.default.svc", keys: [{ kty: "RSA", kid: "one" }] };
const gateway = {
  ...signer,
  audience: "pallas-agents:agents/ouranos",
  subject: "system:serviceaccount:agents:ouranos-gateway",
};

const liveConfig = ({ fake }: Scene) => {
  const type = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" };
  const data: unknown = fake.get("echo-live-config", "agents", type)?.["data"];
  return parseLiveConfig(String(Reflect.get(Object(data), "live-config.json")));
};

describe("MGM-1 an agent's live configuration", () => {
  async function start(spec: object) {
    let known: typeof signer | undefined = signer;
    let looks = 0;
    let trouble: string | undefined;
    const tokenIssuer = {
      observe: async () => {
        looks += 1;
        return known;
      },
      observeTrouble: () => trouble,
    };
    const scene = await startScene({ tokenIssuer });
    await scene.putInstance(spec);
    await scene.putAgent("echo");
    await scene.reconcileAgent("echo");
    await scene.carryOut("echo");
    await scene.reconcileAgent("echo");
    return {
      scene,
      looks: () => looks,
      setKnown: (next: typeof known) => (known = next),
      setTrouble: (next: string) => (trouble = next),
    };
  }

  it("names the gateway's account and the keys; other keys change that file alone, and roll no pod", async () => {
    const { scene, setKnown } = await start({ gateway: {} });
    expect(liveConfig(scene).gateway).toEqual(gateway);
    expect(await scene.reconcileAgent("echo")).toMatchObject({ writes: [], error: undefined });
    const keys = [...signer.keys, { kty: "RSA", kid: "two" }];
    setKnown({ ...signer, keys });
    expect(await scene.reconcileAgent("echo")).toMatchObject({ writes: ["apply ConfigMap echo-live-config"] });
    expect(liveConfig(scene).gateway).toEqual({ ...gateway, keys });
  });

  it("names nobody, and nothing is read, where the instance has no gateway", async () => {
    const { scene, looks } = await start({});
    expect(liveConfig(scene).gateway).toBeUndefined();
    expect(looks()).toBe(0);
  });

  it("names nobody while nobody knows the keys; agent and gateway run, and the instance's condition says why", async () => {
    const { scene, setKnown, setTrouble } = await start({ gateway: {} });
    setKnown(undefined);
    setTrouble("the cluster's issuer cannot be read");
    await scene.putAgent("echo", { title: "Echo" });
    await scene.reconcileAgent("echo");
    await scene.carryOut("echo");
    await scene.reconcileAgent("echo");
    expect(liveConfig(scene)).toMatchObject({ card: { title: "Echo" } });
    const stateOf = (type: typeof agentType, name: string, condition: string) =>
      scene.status(type, name).conditions?.find((each) => each.type === condition);
    expect(stateOf(agentType, "echo", "Available")).toMatchObject({ status: "True" });
    await scene.reconcileInstance();
    for (const name of ["ouranos-registry", "ouranos-gateway"]) await scene.carryOut(name);
    await scene.reconcileInstance();
    expect(stateOf(instanceType, "ouranos", "GatewayAvailable")).toMatchObject({
      status: "True",
      message: expect.stringMatching(/; the cluster's issuer cannot be read$/),
    });
    expect(stateOf(instanceType, "ouranos", "Ready")).toMatchObject({ status: "True" });
  });
});
