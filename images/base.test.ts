import { expect, it } from "vitest";
import { baseFiles, parseControl } from "./base.ts";

it("the user that the images name has an entry, and no shell", () => {
  const entries = (baseFiles["etc/passwd"] ?? "")
    .trim()
    .split("\n")
    .map((line) => line.split(":"));
  expect(entries.map(([name, , uid, gid]) => [name, uid, gid])).toContainEqual(["nonroot", "65532", "65532"]);
  expect(new Set(entries.map((fields) => fields.at(-1)))).toEqual(new Set(["/sbin/nologin"]));
});

it("a control file gives its fields of one line, with every sign of a version", () => {
  const control = "Package: libc6\nVersion: 1:2.36-9+deb12u1~x\nDescription: GNU C Library\n Contains: the libraries\n";
  expect(parseControl(control)).toEqual({
    Package: "libc6",
    Version: "1:2.36-9+deb12u1~x",
    Description: "GNU C Library",
  });
});
