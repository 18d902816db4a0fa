import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openRunNotes, type Started } from "./started.ts";

it("a file was run when it started a program, or said that it is left out", () => {
  const folder = mkdtempSync(join(tmpdir(), "pallas-notes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const notes = openRunNotes(join(folder, "audit"));
  expect(notes.findNotRun(["/a", "/b", "/c"])).toEqual(["/a", "/b", "/c"]);
  const started: Started = { program: "operator", account: "n/o", namespaces: ["n"], testPath: "/a" };
  notes.noteStart(started);
  notes.noteLeftOut("/b");
  expect(notes.findNotRun(["/a", "/b", "/c"])).toEqual(["/c"]);
  expect(notes.readStarts()).toEqual([started]);
});
