// `pallas approvals`, `pallas approve` and `pallas deny`: their arguments and options. What they do is in cli/approvals.
import { Option, type Command } from "commander";
import { ports } from "../../crds/names.ts";
import { examples, type CommandContext } from "./context.ts";

interface ListFlags {
  gateway: string;
  all?: boolean;
  watch?: boolean;
  json?: boolean;
}

interface ApproveFlags {
  gateway: string;
  edit?: boolean;
  arguments?: string;
  answer?: string;
  scope?: "once" | "session";
  reason?: string;
  hash?: string;
  yes?: boolean;
}

interface DenyFlags {
  gateway: string;
  abort?: boolean;
  reason?: string;
}

const gatewayOption = [
  "--gateway <url>",
  "the gateway that is asked, with $PALLAS_TOKEN",
  `http://localhost:${ports.gateway}`,
] as const;
const nameArgument = ["<approval>", "its name, as pallas approvals shows it"] as const;

export function addApprovals(program: Command, context: CommandContext): void {
  program
    .command("approvals")
    .description("show the calls that wait for a person")
    .option(...gatewayOption)
    .option("--all", "show what is decided or expired, too")
    .addOption(new Option("--watch", "show each as it comes and as it is decided, until Ctrl-C").conflicts("all"))
    .option("--json", "one JSON object, for scripts; with --watch one for each change")
    .addHelpText("after", examples("PALLAS_TOKEN=$(pallas token) pallas approvals", "pallas approvals --watch --json"))
    .action(async ({ gateway, all = false, watch = false, json = false }: ListFlags) => {
      const { listApprovals } = await import("../approvals/list-approvals.ts");
      context.end(await listApprovals({ gateway, all, watch, json }, context));
    });

  program
    .command("approve")
    .description("show a call that waits, and let it be made")
    .argument(...nameArgument)
    .option(...gatewayOption)
    .option("--edit", "edit the arguments in $VISUAL or $EDITOR, and approve those")
    .addOption(new Option("--arguments <json>", "approve these arguments instead").conflicts(["edit", "answer"]))
    .addOption(new Option("--answer <text>", "the tool's result; the call is not made").conflicts(["edit", "scope"]))
    .addOption(
      new Option(
        "--scope <scope>",
        "how far it goes: for one call, or for this tool with these arguments in this conversation",
      )
        .choices(["once", "session"])
        .conflicts(["edit", "arguments"]),
    )
    .option("--reason <text>", "why, for the record")
    .option("--hash <hash>", "approve only if the arguments have this hash, and ask nothing")
    .option("--yes", "ask nothing")
    .addHelpText(
      "after",
      examples(
        "pallas approve clerk-1f0c29d4a7be-0",
        "pallas approve clerk-1f0c29d4a7be-0 --arguments '{\"amount\": 10}' --yes",
      ),
    )
    .action(async (name: string, { edit = false, yes = false, hash, ...others }: ApproveFlags) => {
      const { approve } = await import("../approvals/decide-approval.ts");
      const seen = hash === undefined ? {} : { hash };
      context.end(await approve({ ...others, ...seen, name, edit, yes: yes || hash !== undefined }, context));
    });

  program
    .command("deny")
    .description("deny a call that waits")
    .argument(...nameArgument)
    .option(...gatewayOption)
    .option("--abort", "end the run, too")
    .option("--reason <text>", "why; the model reads it")
    .addHelpText("after", examples('pallas deny clerk-1f0c29d4a7be-0 --reason "ask finance first"'))
    .action(async (name: string, { abort = false, ...others }: DenyFlags) => {
      const { deny } = await import("../approvals/decide-approval.ts");
      context.end(await deny({ ...others, name, abort }, context));
    });
}
