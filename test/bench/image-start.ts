// How images/Containerfile starts a program: benchmarks start the built one in the same way, so that what they measure is
// what runs in a cluster. BENCH_NODE_FLAGS come after those flags, and so win.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { benchEnvironment } from "./environment.ts";

const root = join(import.meta.dirname, "../..");
const dist = benchEnvironment.BENCH_DIST ?? join(root, "dist");

export interface ImageStart {
  /** For Node, those of BENCH_NODE_FLAGS last. */
  readonly flags: readonly string[];
  /** The built program. */
  readonly program: string;
  /** What the image's own stage sets. */
  readonly env: Readonly<Record<string, string>>;
}

/** @throws Error when the file has no stage that starts `program` by Node */
export function parseImageStart(
  containerfile: string,
  program: string,
): { flags: string[]; env: Record<string, string> } {
  const stages = containerfile.split(/^FROM /m);
  const stage = stages.find((text) => text.includes(`"/app/${program}.js"]`)) ?? "";
  const [, list] = /^ENTRYPOINT (\[.*\])$/m.exec(stage) ?? [];
  const command: string[] = JSON.parse(list ?? "[]");
  // An init before it makes no difference to how it runs.
  const [node, ...words] = command.slice(command.indexOf("--") + 1);
  if (node !== "node") {
    throw new Error(`expected a stage of images/Containerfile to start ${program}.js by node, found none`);
  }
  const env = [...stage.matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name = "", value = ""]) => [name, value]);
  return { flags: words.slice(0, -1), env: Object.fromEntries(env) };
}

export function readImageStart(program: "operator" | "agent-runtime" | "registry" | "gateway" | "bridge"): ImageStart {
  const { flags, env } = parseImageStart(readFileSync(join(root, "images/Containerfile"), "utf8"), program);
  const more = benchEnvironment.BENCH_NODE_FLAGS.split(" ").filter((flag) => flag !== "");
  return { flags: [...flags, ...more], program: join(dist, `${program}.js`), env };
}
