// A subscriber as a process of its own, which can be stopped by a signal as a hung program is. It prints one line of JSON once
// it listens, and one for each time that it has read what changed: `node subscriber-process.ts URL TOKEN ERA URI`.
import { openSubscriber } from "./subscriber.ts";

const [url = "", token = "", era, uri = ""] = process.argv.slice(2);
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

const subscriber = await openSubscriber({
  url,
  token,
  era: era === "2025" ? "2025" : "2026",
  uris: [uri],
  onHeard: () => void subscriber.read(uri).then((text) => say({ text })),
});
say({ listens: true });
