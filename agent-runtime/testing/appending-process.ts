// A process that appends to the history "shared" of a folder and writes a line for each append that is done, until it is
// killed or cannot go on. Arguments: the folder, and how many characters each message has. It ends with the store's error.
import { createTestStore, user } from "./histories.ts";

const [folder = "", length = "0"] = process.argv.slice(2);
const store = createTestStore(folder);

try {
  for (let count = 0; ; count += 1) {
    await store.append("shared", user(`${count} ${"x".repeat(Number(length))}`));
    process.stdout.write(`${count}\n`);
  }
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error));
  // What fits is still kept.
  await store.append("shared", user("small"));
  await store.close();
}
