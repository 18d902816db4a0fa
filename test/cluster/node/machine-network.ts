// What a node changes of the machine's network and kernel settings before its programs start. Each can be applied again.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";

import { bridgeName, nodeAddress, renderMasquerade } from "./addresses.ts";

const run = promisify(execFile);
const commandTimeoutMs = 10_000;

const ownSettings = { "net.ipv4.ip_forward": "1", "net.bridge.bridge-nf-call-iptables": "1" } as const;

/** What kubelet sets at its start. */
const kubeletSettings = [
  "vm.overcommit_memory",
  "vm.panic_on_oom",
  "kernel.panic",
  "kernel.panic_on_oops",
  "kernel.keys.root_maxkeys",
  "kernel.keys.root_maxbytes",
] as const;

/** Values of kernel settings by name; a setting that this kernel does not have is left out. */
export type KernelSettings = Readonly<Record<string, string>>;

export async function observeKernelSettings(): Promise<KernelSettings> {
  // Pods on one bridge meet the rules for Services and policies only through this module; where it is built in or not
  // to be had, the command fails and the setting tells.
  if (!existsSync("/proc/sys/net/bridge")) await execute("modprobe", ["br_netfilter"]).catch(() => undefined);
  const settings: Record<string, string> = {};
  for (const name of [...Object.keys(ownSettings), ...kubeletSettings]) {
    if (existsSync(settingPath(name))) settings[name] = (await readFile(settingPath(name), "utf8")).trim();
  }
  return settings;
}

export async function applyKernelSettings(settings: KernelSettings): Promise<void> {
  for (const [name, value] of Object.entries(settings)) await writeFile(settingPath(name), value);
}

/** The bridge with its address, forwarding, and the way out of it. */
export async function applyMachineNetwork(): Promise<void> {
  const present = Object.entries(ownSettings).filter(([name]) => existsSync(settingPath(name)));
  await applyKernelSettings(Object.fromEntries(present));
  if (!hasBridge()) {
    // With an address of its own: otherwise it takes, and changes, those of the pods' interfaces.
    await execute("ip", ["link", "add", bridgeName, "address", "0a:58:0a:f4:00:01", "type", "bridge"]);
  }
  await execute("ip", ["address", "replace", `${nodeAddress}/24`, "dev", bridgeName]);
  await execute("ip", ["link", "set", bridgeName, "up"]);
  await applyNftRules(renderMasquerade());
}

const hasBridge = (): boolean => existsSync(`/sys/class/net/${bridgeName}`);

export async function removeBridge(): Promise<void> {
  if (hasBridge()) await execute("ip", ["link", "delete", bridgeName]);
}

export async function removeNftTables(names: readonly string[]): Promise<void> {
  // To declare a table before it is deleted is to delete it whether it is there or not.
  await applyNftRules(names.map((name) => `table ${name}\ndelete table ${name}\n`).join(""));
}

const settingPath = (name: string): string => `/proc/sys/${name.replaceAll(".", "/")}`;

async function applyNftRules(rules: string): Promise<void> {
  await execute("nft", ["--file", "-"], rules);
}

async function execute(program: string, args: readonly string[], input?: string): Promise<string> {
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/local/sbin:/usr/sbin:/sbin` };
  const running = run(program, args, { env, timeout: commandTimeoutMs });
  running.child.stdin?.end(input);
  const { stdout } = await running;
  return stdout;
}
