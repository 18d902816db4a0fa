// `pallas search`: the tools that a request means, of a running gateway or of files.
import { reportFailure } from "../chat/chat-error.ts";
import { readToken } from "../chat/gateway-connection.ts";
import { UsageError } from "../manifests/find-files.ts";
import { jsonLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";
import { stopSignal } from "../up/signals.ts";
import { readVersion } from "../version.ts";
import { printAnswer, type SearchAnswer } from "./answer.ts";
import { searchGateway } from "./gateway-search.ts";
import { readToolCatalogue } from "./tool-files.ts";

const limit = 5;
const interrupted = 130;

export interface SearchOptions {
  readonly text: string | undefined;
  readonly gateway: string;
  /** Files to look into, in place of the gateway. */
  readonly tools: readonly string[];
  /** One JSON object in place of the lines. */
  readonly json: boolean;
}

interface Edges {
  terminal: Terminal;
  process: NodeJS.Process;
}

async function searchFiles(text: string, tools: readonly string[]): Promise<SearchAnswer> {
  const { index, find } = await readToolCatalogue(tools);
  const { matches, confidence } = index.search(text, { limit });
  const shown = matches.map(({ server, tool, score }) => {
    return { name: `${server}/${tool}`, score, description: find(server, tool)?.description ?? "" };
  });
  return { confidence, matches: shown };
}

/**
 * Prints the five tools that fit best.
 * @returns the exit code: 0, 1 when nothing was found or the gateway does not answer, 130 when it was interrupted
 * @throws UsageError without a text, or when a file cannot be read or is not as expected
 */
export async function search(options: SearchOptions, { terminal, process }: Edges): Promise<number> {
  const { text = "", tools, gateway, json } = options;
  if (text.trim() === "") {
    throw new UsageError('say what the tool should do: pallas search "post a message to a channel"');
  }
  const { signal, release } = stopSignal(process);
  try {
    const connection = { gateway, token: readToken(process.env["PALLAS_TOKEN"]), clientVersion: readVersion(), signal };
    const answer = tools.length > 0 ? await searchFiles(text, tools) : await searchGateway(text, limit, connection);
    if (json) terminal.printStyled(jsonLine(answer));
    else printAnswer(answer, terminal);
    return answer.matches.length > 0 ? 0 : 1;
  } catch (error) {
    if (signal.aborted) return interrupted;
    return reportFailure(error, terminal);
  } finally {
    release();
  }
}
