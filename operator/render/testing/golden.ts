// Golden files: every object that is written for one case, as YAML, in the order it is written.
import { dump } from "js-yaml";

/** The path that `toMatchFileSnapshot` takes, from a test in operator/render. */
export const golden = (name: string): string => `../../test/golden/${name}.yaml`;

export const toYaml = (objects: object): string =>
  Object.values(objects)
    .filter((object) => object !== undefined)
    .map((object) => dump(object, { lineWidth: 120, noRefs: true }))
    .join("---\n");
