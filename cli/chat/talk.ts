// A conversation at a terminal: prompt, message, progress, answer, and again. Ctrl-C ends the call that runs and leaves
// the program; at the prompt the second one, or Ctrl-D, ends it.
import { createInterface, type Interface } from "node:readline";
import { McpError } from "../../lib/mcp/mcp-error.ts";
import type { Terminal } from "../terminal.ts";
import { ChatError } from "./chat-error.ts";
import type { Conversation } from "./conversation.ts";
import { readImage, type MessageImage } from "./images.ts";
import { startLiveAnswer } from "./live-answer.ts";
import { readMessageLines } from "./message-lines.ts";
import { startProgressLine } from "./progress-line.ts";
import { showHistory, youPrompt } from "./show.ts";
import { completeTyped, parseTyped, slashHelp, type SlashCommand } from "./slash-commands.ts";

export interface TalkContext {
  agent: string;
  conversation: Conversation;
  terminal: Terminal;
  streams: { stdin: NodeJS.ReadableStream; stdout: NodeJS.WritableStream };
  /** Sent along with the first message. */
  images: MessageImage[];
  /** Ends the talk, as SIGTERM does. */
  signal: AbortSignal;
}

/** Until the person ends it. */
export async function talk(context: TalkContext): Promise<void> {
  const { terminal, streams } = context;
  const lines = createInterface({
    input: streams.stdin,
    output: streams.stdout,
    prompt: youPrompt(terminal),
    completer: completeTyped,
    removeHistoryDuplicates: true,
  });
  try {
    await new Talk(context, lines).run();
  } finally {
    lines.close();
  }
}

class Talk {
  readonly #context: TalkContext;
  readonly #lines: Interface;
  #images: MessageImage[];
  #running: AbortController | undefined;
  #isWarned = false;
  #isOver = false;

  constructor(context: TalkContext, lines: Interface) {
    this.#context = context;
    this.#lines = lines;
    this.#images = context.images;
  }

  async run(): Promise<void> {
    const lines = this.#lines;
    const context = this.#context;
    lines.on("SIGINT", () => this.#interrupt());
    lines.once("close", () => {
      this.#isOver = true;
      this.#running?.abort(new Error("the chat has ended"));
    });
    context.signal.addEventListener("abort", () => lines.close(), { once: true });
    const typed = readMessageLines(lines);
    lines.prompt();
    for await (const text of typed) {
      if (this.#isOver) return;
      this.#isWarned = false;
      await this.#take(text).catch((error: unknown) => {
        if (error instanceof McpError) context.terminal.complain(`${context.agent}: ${error.tell()}`);
        else if (error instanceof ChatError) context.terminal.complain(error.message);
        else throw error;
      });
      // What was typed during the call is still on the line.
      if (!this.#isOver) lines.prompt(true);
    }
  }

  #interrupt(): void {
    if (this.#running !== undefined) {
      this.#running.abort(new Error("interrupted"));
    } else if (this.#lines.line === "" && this.#isWarned) {
      this.#lines.close();
    } else {
      this.#isWarned = this.#lines.line === "";
      // Takes what was typed off the line.
      this.#lines.write(null, { ctrl: true, name: "e" });
      this.#lines.write(null, { ctrl: true, name: "u" });
      if (this.#isWarned) this.#context.terminal.complain("\n(Ctrl-C once more ends; so does Ctrl-D)");
      this.#lines.prompt();
    }
  }

  async #take(text: string): Promise<void> {
    const typed = parseTyped(text);
    if (typed.kind === "unknown") this.#context.terminal.complain(typed.message);
    else if (typed.kind === "command") await this.#obey(typed.name, typed.argument);
    else if (typed.text !== "") await this.#send(typed.text);
  }

  async #send(text: string): Promise<void> {
    const { conversation, terminal, agent } = this.#context;
    const images = this.#images;
    await this.#interruptible(async (signal) => {
      const progress = startProgressLine(terminal, agent);
      try {
        terminal.printStyled("");
        const live = startLiveAnswer(agent, terminal, progress);
        const answer = await conversation.send({ text, images }, signal, live.note);
        this.#images = [];
        live.end(answer);
        terminal.printStyled("");
      } finally {
        progress.end();
      }
    });
  }

  /** Ctrl-C ends what runs, and nothing else. */
  async #interruptible(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    try {
      await run(running.signal);
    } catch (error) {
      if (!running.signal.aborted) throw error;
      this.#context.terminal.complain("cancelled");
    } finally {
      this.#running = undefined;
    }
  }

  async #obey(name: SlashCommand, argument: string): Promise<void> {
    const { conversation, terminal } = this.#context;
    switch (name) {
      case "/image":
        if (argument === "") throw new ChatError("expected the path of an image after /image");
        this.#images = [...this.#images, await readImage(argument)];
        terminal.complain(
          `${this.#images.length === 1 ? "1 image goes" : `${this.#images.length} images go`} along with the next message`,
        );
        break;
      case "/history":
        await this.#interruptible(async (signal) => {
          const messages = await conversation.history(signal);
          if (messages.length === 0) terminal.complain("this conversation has no messages yet");
          showHistory(messages, terminal);
        });
        break;
      case "/new":
        await conversation.startAnew();
        terminal.complain("a new conversation begins");
        break;
      case "/help":
        for (const line of slashHelp()) terminal.complain(line);
        break;
      case "/quit":
        this.#lines.close();
        break;
    }
  }
}
