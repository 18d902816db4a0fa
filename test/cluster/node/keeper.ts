// Command line: `keeper.ts DIR` starts a node cluster in DIR and holds it. SIGHUP starts what has ended, SIGTERM stops all.

import { rename, writeFile } from "node:fs/promises";

import { readyPath } from "./kept-cluster.ts";
import { startNodeCluster } from "./node-cluster.ts";

const [dir] = process.argv.slice(2);
if (dir === undefined) throw new Error("expected the folder of the cluster as argument, found none");

const cluster = await startNodeCluster({ dir });

const announce = async (): Promise<void> => {
  const path = readyPath(dir);
  await writeFile(`${path}.new`, JSON.stringify(cluster.description));
  await rename(`${path}.new`, path); // whole or not at all
};

process.on("SIGHUP", () => void cluster.revive().then(announce));
process.once("SIGTERM", () => void cluster.stop().then(() => process.exit()));
await announce();
