// The embeddings server as a process: `node test/models/embeddings-main.ts --port N --width N`. Prints its base URL when it listens.
import { parseArgs } from "node:util";
import { startEmbeddingsServer } from "./embeddings-server.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    host: { type: "string", default: "127.0.0.1" },
    width: { type: "string", default: "384" },
  },
});
const server = await startEmbeddingsServer({
  port: Number(values.port),
  host: values.host,
  width: Number(values.width),
});
process.stdout.write(`embeddings at ${server.url}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void server.close().then(() => process.exit(0)));
}
