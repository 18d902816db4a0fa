// `pallas search` and `pallas search eval`: their arguments and options. What they do is in cli/search.
import { Option, type Command } from "commander";
import { ports } from "../../crds/names.ts";
import { examples, type CommandContext } from "./context.ts";

interface SearchFlags {
  gateway: string;
  tools?: string[];
  json?: boolean;
}

interface EvalFlags {
  tools: string[];
  queries: string[];
  json?: boolean;
}

const toolFiles = "catalogues of tools, as JSON lines, gzipped or not";

export function addSearch(program: Command, context: CommandContext): void {
  const command = program
    .command("search")
    .description("find the tool that does what is wanted")
    .argument("[text]", "what the tool should do: best the service, the action and the object")
    .option("--gateway <url>", "the gateway that is asked, with $PALLAS_TOKEN", `http://localhost:${ports.gateway}`)
    .addOption(new Option("--tools <files...>", `look into these, and ask no gateway: ${toolFiles}`))
    .option("--json", "one JSON object, for scripts")
    .addHelpText(
      "after",
      examples(
        'PALLAS_TOKEN=$(pallas token) pallas search "slack post message to channel"',
        'pallas search "send an email" --tools tools.jsonl',
        "pallas search eval --tools tools.jsonl --queries queries.jsonl",
      ),
    )
    .action(async (text: string | undefined, { gateway, tools = [], json = false }: SearchFlags) => {
      const { search } = await import("../search/search.ts");
      context.end(await search({ text, gateway, tools, json }, context));
    });

  command
    .command("eval")
    .description("measure how often the right tool is found, on queries whose right tools are known")
    .requiredOption("--tools <files...>", `${toolFiles}; all of them are one catalogue`)
    .requiredOption("--queries <files...>", "queries with the ids of their right tools, as JSON lines, gzipped or not")
    .option("--json", "one JSON object, for scripts")
    .action(async ({ tools, queries, json = false }: EvalFlags) => {
      const { evaluateSearch } = await import("../search/evaluate.ts");
      context.end(await evaluateSearch({ tools, queries, json }, context.terminal));
    });
}
