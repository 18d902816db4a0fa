// Where the pictures of the dashboard go: into the docs where somebody asks for it, and else where artefacts are.
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

export const pictureFolder = join(
  root,
  process.env["PALLAS_PICTURES"] === "1" ? "docs/pictures" : "test/.artefacts/dashboard",
);
