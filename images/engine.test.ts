import { expect, it } from "vitest";
import { renderArguments } from "./engine.ts";

const image = { containerfile: "images/Containerfile", target: "agent", base: "local" };
const options = { version: "0.1.0", revision: "abc", source: undefined, epochSeconds: 0 };

it("both engines are told target, base and what only this build knows", () => {
  const label = "org.opencontainers.image";
  expect(renderArguments({ ...image, options })).toEqual([
    ...["--file", "images/Containerfile", "--target", "agent", "--build-arg", "BASE=local"],
    ...["--label", `${label}.version=0.1.0`, "--label", `${label}.revision=abc`],
    ...["--label", `${label}.created=1970-01-01T00:00:00.000Z`],
  ]);
});

it("the source is a label only where it is published", () => {
  const published = renderArguments({ ...image, options: { ...options, source: "https://git.example/pallas" } });
  expect(published).toContain("org.opencontainers.image.source=https://git.example/pallas");
});
