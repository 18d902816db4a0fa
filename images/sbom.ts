// The bill of materials of one image, CycloneDX 1.5: what npm says of those installed packages whose code is really in the
// bundle, Node, and the base. It names no time of its own and no random number, so that two builds give the same.
import { z } from "zod";
import { runCommand } from "./run-command.ts";

const componentSchema = z.looseObject({ "bom-ref": z.string() });

const billSchema = z.object({ components: z.array(componentSchema) });

/** What npm says of each package, by `name@version`. */
export type InstalledPackages = ReadonlyMap<string, z.infer<typeof componentSchema>>;

/** Something of the base. */
export interface BasePart {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** SPDX, where it is one; Debian's are in /usr/share/doc. */
  readonly license?: string;
}

export async function readInstalled(root: string): Promise<InstalledPackages> {
  // With --omit=dev it leaves out what a development dependency needs too.
  const args = ["sbom", "--sbom-format", "cyclonedx"];
  const { components } = billSchema.parse(JSON.parse(await runCommand("npm", args, { cwd: root, timeoutMs: 60_000 })));
  return new Map(components.map((component) => [component["bom-ref"], component]));
}

export interface BillOptions {
  readonly image: string;
  readonly version: string;
  readonly epochSeconds: number;
  /** Those in the bundle; one may be there twice. */
  readonly packages: readonly { readonly name: string; readonly version: string }[];
  readonly installed: InstalledPackages;
  readonly parts: readonly BasePart[];
}

export function renderBill({ image, version, epochSeconds, packages, installed, parts }: BillOptions): object {
  const references = new Set(packages.map((bundled) => `${bundled.name}@${bundled.version}`));
  const components = [...references].toSorted().map((reference) => {
    const found = installed.get(reference);
    if (found === undefined) {
      throw new Error(`expected npm to list ${reference}, which is in the bundle, found it missing: run npm ci`);
    }
    return found;
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      timestamp: new Date(epochSeconds * 1_000).toISOString(),
      component: {
        "bom-ref": `pallas-${image}@${version}`,
        type: "application",
        name: `pallas-${image}`,
        version,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: [...components, ...parts.map(renderPart)],
  };
}

function renderPart({ name, version, purl, license }: BasePart): object {
  const licenses = license === undefined ? {} : { licenses: [{ license: { id: license } }] };
  return { "bom-ref": purl, type: name === "node" ? "application" : "library", name, version, purl, ...licenses };
}
