// Another machine for tests: a network namespace that reaches this one over a pair of virtual interfaces, and knows it by a
// name. It needs Linux and root.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { needsPlatform, type Needs } from "../../tools/needs.ts";

const run = promisify(execFile);

/** Of a network for documentation: nobody's. */
const address = "198.51.100.1";

export const needsOtherMachine = (): Needs =>
  needsPlatform(
    process.platform === "linux" && process.getuid?.() === 0
      ? undefined
      : "network namespaces, which need root on Linux",
  );

export interface OtherMachine {
  /** By which it reaches this machine, beside the name. */
  address: string;
  /** Runs a program there. @returns its standard output */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
}

/** @param name by which it knows this machine */
export async function createOtherMachine(name: string): Promise<OtherMachine> {
  const id = `pallas-${randomUUID().slice(0, 6)}`;
  const [here, there] = [`${id}a`, `${id}b`];
  const ip = (...args: readonly string[]) => run("ip", [...args]);
  const within = (...args: readonly string[]) => ip("netns", "exec", id, ...args);
  const files = `/etc/netns/${id}`;
  await mkdir(files, { recursive: true });
  await writeFile(`${files}/hosts`, `127.0.0.1 localhost\n${address} ${name}\n`);
  await ip("netns", "add", id);
  await ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", id);
  await ip("address", "add", `${address}/30`, "dev", here);
  await ip("link", "set", here, "up");
  await within("ip", "address", "add", "198.51.100.2/30", "dev", there);
  await within("ip", "link", "set", there, "up");
  return {
    address,
    node: async (args, env = {}) =>
      (await run("ip", ["netns", "exec", id, process.execPath, ...args], { env: { ...process.env, ...env } })).stdout,
    async remove() {
      // Its interface goes with it, and so does the other end.
      await ip("netns", "delete", id);
      await rm(files, { recursive: true, force: true });
    },
  };
}
