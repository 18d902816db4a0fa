// A cluster with nodes, the images of this checkout in it, and Pallas installed by its chart: for end-to-end tests and for
// the benchmark of pods. There is no going on without: a machine that cannot have a cluster is told what is missing.
import { join } from "node:path";
import { buildImages } from "../../images/build.ts";
import { parseOptions } from "../../images/options.ts";
import { openCluster, type OpenCluster } from "../cluster/node/open-cluster.ts";
import { buildTestImages } from "./images/build.ts";
import { installPallas, uninstallPallas } from "./installation.ts";

const root = join(import.meta.dirname, "../..");
const say = (line: string) => void process.stderr.write(`${line}\n`);

export interface OpenedTestbed extends AsyncDisposable {
  readonly cluster: OpenCluster;
  /** Of the images made from this checkout: its version. */
  readonly tag: string;
}

export async function openTestbed(): Promise<OpenedTestbed> {
  const out = join(root, "test/.artefacts/images");
  const options = await parseOptions({ argv: [`--out=${out}`], env: process.env, root });
  const archives = [...(await buildImages(options, say)).map(({ archive }) => archive), ...(await buildTestImages())];
  const cluster = await openCluster();
  try {
    for (const archive of archives) await cluster.importImage(archive);
    await installPallas(cluster, options);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return {
    cluster,
    tag: options.tag,
    async [Symbol.asyncDispose]() {
      await uninstallPallas(cluster);
      await cluster.stop();
    },
  };
}
