import { describe, expect, test } from "vitest";
import { parseEndpoints } from "./endpoint-slice.ts";
import type { RawObject } from "./object.ts";

const slice = (endpoints: unknown, addressType = "IPv4"): RawObject => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion: "1" },
  addressType,
  endpoints,
});
const pod = { kind: "Pod", name: "a-1", uid: "uid-1" };

describe("endpoints of a slice", () => {
  test.each<[string, unknown, string, unknown]>([
    [
      "what is not said is ready, not draining, and no pod",
      { addresses: ["10.0.0.1"] },
      "IPv4",
      { host: "10.0.0.1", ready: true, terminating: false, pod: undefined },
    ],
    [
      "null is not said either",
      { addresses: ["10.0.0.1"], conditions: { ready: null, terminating: null }, targetRef: null },
      "IPv4",
      { host: "10.0.0.1", ready: true, terminating: false, pod: undefined },
    ],
    [
      "one that drains",
      { addresses: ["10.0.0.1"], conditions: { ready: false, serving: true, terminating: true }, targetRef: pod },
      "IPv4",
      { host: "10.0.0.1", ready: false, terminating: true, pod: "a-1", podUid: "uid-1" },
    ],
    [
      "IPv6 as a URL wants it",
      { addresses: ["fd00::1"], targetRef: { kind: "Node", name: "n" } },
      "IPv6",
      { host: "[fd00::1]", ready: true, terminating: false, pod: undefined },
    ],
  ])("%s", (_title, endpoint, addressType, expected) => {
    expect(parseEndpoints(slice([endpoint], addressType))).toEqual([expected]);
  });

  test("none in a slice without endpoints, nor in one of names", () => {
    expect(parseEndpoints(slice(null))).toEqual([]);
    expect(parseEndpoints(slice([{ addresses: ["example.com"] }], "FQDN"))).toEqual([]);
  });

  test.each([[[{ addresses: [] }]], [[{}]], ["text"]])("another shape is refused: %j", (endpoints) => {
    expect(() => parseEndpoints(slice(endpoints))).toThrow(/endpoints/);
  });
});
