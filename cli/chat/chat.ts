// `pallas chat`: find the agent in the registry or at a gateway, then one answer to a message, or a conversation at the terminal. This
// file is the sequence.
import { addAbortSignal } from "node:stream";
import { UsageError } from "../manifests/find-files.ts";
import { jsonLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";
import { stopSignal } from "../up/signals.ts";
import { readVersion } from "../version.ts";
import { listAgents } from "./catalogue.ts";
import { reportFailure } from "./chat-error.ts";
import { findAgent, pickAgent, requireReady } from "./choose-agent.ts";
import { listGatewayAgents } from "./gateway-agents.ts";
import { readToken } from "./gateway-connection.ts";
import { openConversation, type Conversation, type Message } from "./conversation.ts";
import { readImage } from "./images.ts";
import { startLiveAnswer } from "./live-answer.ts";
import { startProgressLine } from "./progress-line.ts";
import { readStandardInput } from "./standard-input.ts";
import { showHistory } from "./show.ts";
import { talk } from "./talk.ts";
import { refuseToken } from "./token-scope.ts";

export interface ChatOptions {
  name: string | undefined;
  registry: string;
  /** Agents are reached through it, and the registry is not asked. */
  gateway?: string;
  message?: string;
  images: readonly string[];
  session?: string;
  /** Hosts that PALLAS_TOKEN goes to, beside the registry's. */
  tokenHosts: readonly string[];
  json: boolean;
}

export interface ChatEdges {
  terminal: Terminal;
  process: NodeJS.Process;
}

const interrupted = 130;

/**
 * Talks to an agent (CLI-4).
 * @returns the exit code: 0, 1 when there is no answer or the answer is an error, 130 when it was interrupted
 * @throws UsageError when it is not said whom to talk to, or what to say
 */
export async function chat(options: ChatOptions, { terminal, process }: ChatEdges): Promise<number> {
  const { signal, release } = stopSignal(process);
  try {
    const isWatched = process.stdin.isTTY && process.stdout.isTTY;
    const token = readToken(process.env["PALLAS_TOKEN"]);
    const text =
      options.message ??
      (process.stdin.isTTY ? undefined : await readStandardInput(addAbortSignal(signal, process.stdin)));
    if (text === undefined && (options.json || !isWatched)) {
      throw new UsageError("say what to send: -m TEXT, or a text on standard input");
    }
    const agents = await listFor(options, token, signal);
    const agent =
      options.name === undefined ? await pickAgent(agents, { terminal, process }) : findAgent(agents, options.name);
    if (agent === undefined) return interrupted;
    requireReady(agent);
    const images = await Promise.all(options.images.map(readImage));
    const conversation = openConversation({
      agent,
      sessionId: options.session,
      token: tokenFor(agent.url, token, options, terminal),
      clientVersion: readVersion(),
      sendsText: terminal.out.isTerminal && !options.json,
      onForgotten: () => terminal.complain("the agent no longer has this conversation; a new one begins"),
    });
    try {
      if (text !== undefined) {
        const message = { text, images };
        return await answerOnce({ agent: agent.name, conversation, message, json: options.json, terminal, signal });
      }
      terminal.complain(`${agent.name}: ${agent.description} (/help shows what can be typed, Ctrl-D ends)\n`);
      showHistory(await conversation.history(signal), terminal);
      await talk({ agent: agent.name, conversation, terminal, streams: process, images, signal });
      sayFarewell(agent.name, conversation, terminal);
      return signal.aborted ? interrupted : 0;
    } finally {
      await conversation.close();
    }
  } catch (error) {
    if (signal.aborted) return interrupted;
    return reportFailure(error, terminal);
  } finally {
    release();
  }
}

interface Once {
  agent: string;
  conversation: Conversation;
  message: Message;
  json: boolean;
  terminal: Terminal;
  signal: AbortSignal;
}

async function answerOnce({ agent, conversation, message, json, terminal, signal }: Once): Promise<number> {
  const progress = startProgressLine(terminal, agent);
  try {
    const live = startLiveAnswer(agent, terminal, progress);
    const answer = await conversation.send(message, signal, live.note);
    progress.end();
    const { text, isError } = answer;
    if (json) terminal.printStyled(jsonLine({ agent, text, isError, sessionId: conversation.sessionId }));
    else live.end(answer);
    return isError ? 1 : 0;
  } finally {
    progress.end();
  }
}

const listFor = async ({ registry, gateway }: ChatOptions, token: string | undefined, signal: AbortSignal) =>
  gateway === undefined
    ? await listAgents(registry)
    : await listGatewayAgents({ gateway, token, clientVersion: readVersion(), signal });

function tokenFor(
  url: string,
  token: string | undefined,
  { registry, gateway = registry, tokenHosts }: ChatOptions,
  terminal: Terminal,
): string | undefined {
  const refusal = token === undefined ? undefined : refuseToken(url, gateway, tokenHosts);
  if (refusal === undefined) return token;
  terminal.complain(`warning: ${refusal}`);
  return undefined;
}

function sayFarewell(agent: string, { sessionId }: Conversation, terminal: Terminal): void {
  const how = sessionId === undefined ? "" : `continue with: pallas chat ${agent} --session ${sessionId}`;
  terminal.complain(`\n${how}`.trimEnd());
}
