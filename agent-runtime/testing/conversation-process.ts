// A process that has a scripted conversation over a folder of histories, for tests that kill it. Arguments: the folder, a
// file to which each tool appends what it did, the user's message, and after which append to die by SIGKILL (0: never).
import { appendFileSync } from "node:fs";
import type { SessionStore } from "../session/store.ts";
import { converse } from "./conversation.ts";
import { createTestStore } from "./histories.ts";

const [folder = "", effects = "", text = "", dieAfter = "0"] = process.argv.slice(2);

/** Dies between an append and whoever waits for it. */
function killing(store: SessionStore): SessionStore {
  let appendsLeft = Number(dieAfter);
  return {
    ...store,
    async append(key, entry, owner) {
      await store.append(key, entry, owner);
      appendsLeft -= 1;
      if (appendsLeft !== 0) return;
      process.kill(process.pid, "SIGKILL");
      await new Promise(() => undefined);
    },
  };
}

const store = createTestStore(folder);
const onTool = (id: string) => appendFileSync(effects, `${id}\n`);
process.stdout.write(await converse(text, { store: killing(store), onTool }));
await store.close();
