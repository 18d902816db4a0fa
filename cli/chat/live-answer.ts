// An answer shown as it is written, where somebody looks: block by block above the line that says what goes on, which
// shows the line being written. What the agent sends of it may have gaps or begin anew; then the whole answer is shown
// once more when it is there. It decides nothing about the call.
import { textDeltaMetaKey, textDeltaSchema } from "../../crds/text-delta.ts";
import type { Progress } from "../../lib/mcp/table.ts";
import type { Terminal } from "../terminal.ts";
import type { Answer } from "./conversation.ts";
import { readBlocks } from "./markdown-blocks.ts";
import type { ProgressLine } from "./progress-line.ts";
import { showAnswer, showText } from "./show.ts";

export interface LiveAnswer {
  note(progress: Progress): void;
  /** Shows what is missing of the answer. */
  end(answer: Answer): void;
}

/** Begins with a call, whose other progress is `line`'s. */
export function startLiveAnswer(agent: string, terminal: Terminal, line: ProgressLine): LiveAnswer {
  const blocks = readBlocks();
  /** All that came, as the answer would have it. */
  let written: string[] = [];
  let step: number | undefined;
  let isFaithful = true;
  let blocksShown = 0;

  const show = (block: string) => {
    if (blocksShown > 0) terminal.printStyled("");
    showText(block, terminal);
    blocksShown += 1;
  };
  const write = (text: string) => {
    written.push(text);
    for (const block of blocks.push(text)) show(block);
  };
  return {
    note({ message, meta }) {
      const parsed = textDeltaSchema.safeParse(meta?.[textDeltaMetaKey]);
      if (!parsed.success) return line.note(message);
      const { text, start = false, gap = false, step: at } = parsed.data;
      if (gap || (start && at === step) || (!start && at !== step)) isFaithful = false;
      if (!isFaithful) return;
      if (start && step !== undefined && written.length > 0) write("\n\n");
      step = at;
      write(text);
      if (blocks.tail.trim() !== "") line.note(blocks.tail);
    },
    end(answer) {
      line.end();
      const soFar = written.join("");
      written = [];
      if (answer.isError || !isFaithful || !answer.text.startsWith(soFar)) {
        if (blocksShown > 0) terminal.printStyled("");
        showAnswer(answer, agent, terminal);
        return;
      }
      write(answer.text.slice(soFar.length));
      for (const block of blocks.end()) show(block);
    },
  };
}
