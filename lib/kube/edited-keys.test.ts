import { describe, expect, test } from "vitest";
import { renderKeyPatch } from "./edited-keys.ts";

const metadata = { uid: "u", resourceVersion: "7" };
const bound = [
  { op: "test", path: "/metadata/uid", value: "u" },
  { op: "replace", path: "/metadata/resourceVersion", value: "7" },
];
const service = (port: object) => ({ metadata, spec: { ports: [{ name: "mcp", ...port }] } });
const deployment = (port: object) => ({ metadata, spec: { containers: [{ name: "agent", ports: [port] }] } });

describe("OPR-5 a key that was edited by hand", () => {
  test.each([
    ["the port of a Service", service({ port: 80 }), service({ port: 81 }), "/spec/ports/0/port", 80],
    [
      "its protocol",
      service({ port: 80, protocol: "TCP" }),
      service({ port: 80, protocol: "UDP" }),
      "/spec/ports/0/protocol",
      "TCP",
    ],
    [
      "the port of a container",
      deployment({ name: "mcp", containerPort: 80 }),
      deployment({ name: "mcp", containerPort: 81 }),
      "/spec/containers/0/ports/0/containerPort",
      80,
    ],
  ])("%s is given back, in just that version of the object", (_title, desired, live, path, value) => {
    expect(renderKeyPatch(desired, live)).toEqual([...bound, { op: "replace", path, value }]);
  });

  test.each([
    ["nothing differs", service({ port: 80 }), service({ port: 80 })],
    ["what differs is no key", service({ port: 80, targetPort: 1 }), service({ port: 80, targetPort: 2 })],
    ["the port is somebody else's", service({ port: 80, name: "ours" }), service({ port: 81, name: "theirs" })],
  ])("there is none when %s", (_title, desired, live) => {
    expect(renderKeyPatch(desired, live)).toBeUndefined();
  });
});
