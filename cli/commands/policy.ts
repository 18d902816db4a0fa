// `pallas policy test`: its options. What it does is in cli/policy.
import type { Command } from "commander";
import { collect, examples, fileOption, foldersOf, type CommandContext } from "./context.ts";

interface Flags {
  file?: string[];
  policy?: string;
  calls?: string;
  json?: boolean;
}

export function addPolicy(program: Command, context: CommandContext): void {
  const lines = ["pallas policy test -f policies", "pallas policy test --policy default --calls calls.jsonl"];
  const command = program
    .command("policy")
    .description("try policies before they hold")
    .addHelpText("after", examples(...lines));

  command
    .command("test")
    .description("show the rules of policies, or what one of them says of calls, without a cluster")
    .option(...fileOption, collect)
    .option("--policy <name>", "the policy that is meant, where there are several")
    .option("--calls <file>", "calls as JSON lines: what is decided of them, and whether that is expected")
    .option("--json", "one JSON object, for scripts")
    .addHelpText("after", examples(...lines))
    .action(async ({ file = [], policy, calls, json = false }: Flags) => {
      const { tryPolicy } = await import("../policy/try-policy.ts");
      const options = { paths: foldersOf(file, context), policy, calls, json };
      context.end(await tryPolicy(options, context.terminal));
    });
}
