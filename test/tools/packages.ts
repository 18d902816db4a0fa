// The one list of the programs that tests start and this project does not bring along, by Debian's package: what each is
// for, and by which programs one sees that it is there. `make tools` installs it; a test says what it needs with needs.ts.
import { findInterpreter, leastMinor } from "../python/interpreter.ts";
import { findProgram } from "./find-program.ts";

export interface ToolPackage {
  /** Debian's name. */
  readonly name: string;
  /** What tests do with it. */
  readonly why: string;
  readonly programs: readonly string[];
  /** Where programs do not tell. */
  isThere?(): Promise<boolean>;
}

/** What a node of a cluster needs of its machine. */
export const nodePackages = [
  { name: "runc", why: "starts the containers of a node", programs: ["runc"] },
  { name: "nftables", why: "holds a node's NetworkPolicies and Services", programs: ["nft"] },
  { name: "iproute2", why: "makes a node's bridge", programs: ["ip"] },
  { name: "kmod", why: "loads the kernel's filter of bridges", programs: ["modprobe"] },
  { name: "mount", why: "mounts and unmounts volumes", programs: ["mount", "umount"] },
  // Its `bridge` would be found as that of iproute2.
  { name: "containernetworking-plugins", why: "connects pods", programs: ["host-local"] },
] as const satisfies readonly ToolPackage[];

const testPackages = [
  { name: "busybox-static", why: "starts servers in containers of their own", programs: ["busybox"] },
  { name: "buildah", why: "makes the images where no Docker runs", programs: ["buildah"] },
  { name: "ca-certificates", why: "lets Go download modules", programs: ["update-ca-certificates"] },
  { name: "chromium", why: "shows the status page and the dashboard", programs: ["chromium"] },
  { name: "curl", why: "stands in commands of docs/install.md", programs: ["curl"] },
  { name: "fish", why: "takes the completion script for it", programs: ["fish"] },
  { name: "git", why: "says what the images are made from, and checks out the release before", programs: ["git"] },
  { name: "jq", why: "stands in the backup of docs/operations.md", programs: ["jq"] },
  { name: "procps", why: "shows whether a process still runs", programs: ["ps"] },
  { name: "prometheus", why: "plays the alerts and reads the metrics", programs: ["prometheus", "promtool"] },
  { name: "slowhttptest", why: "attacks the registry with slow clients", programs: ["slowhttptest"] },
  { name: "tmux", why: "is the terminal of pallas up and pallas chat", programs: ["tmux"] },
  { name: "zsh", why: "takes the completion script for it", programs: ["zsh"] },
  {
    name: "python3-venv",
    why: "makes the environments of clients in Python",
    programs: [],
    isThere: async () => !("missing" in (await findInterpreter(leastMinor))),
  },
] as const satisfies readonly ToolPackage[];

export const toolPackages = [...nodePackages, ...testPackages] as const;

export type ToolProgram = (typeof toolPackages)[number]["programs"][number];

/** Those of the packages that are not there, or not as a whole. */
export async function findAbsent(packages: readonly ToolPackage[]): Promise<ToolPackage[]> {
  const present = await Promise.all(
    packages.map(
      async ({ programs, isThere }) =>
        programs.every((program) => findProgram(program) !== undefined) && (isThere === undefined || (await isThere())),
    ),
  );
  return packages.filter((_, index) => present[index] !== true);
}
