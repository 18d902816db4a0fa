// The numbers by which servers are named.
import { expect, it } from "vitest";
import { serverResource } from "../testing/resources.ts";
import { idOfServer } from "./server-id.ts";

it("DSC-8 the number of a server stays over edits and a rename, and one made anew has another", () => {
  const idOf = (uid: string, resourceVersion: string, name = "files") => {
    const resource = serverResource("files");
    return idOfServer({ name, resource: { ...resource, metadata: { ...resource.metadata, uid, resourceVersion } } });
  };
  expect([idOf("a", "1"), idOf("a", "2"), idOf("a", "1", "other")]).toEqual(Array(3).fill(idOf("a", "1")));
  expect(idOf("b", "1")).not.toBe(idOf("a", "1"));
});
