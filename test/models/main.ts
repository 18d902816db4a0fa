// The model mock as a process: `node test/models/main.ts --port N --script FILE`. Prints its address when it listens;
// `GET /__journal` is what it was asked.
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { startModelMock } from "./model-mock.ts";
import { parseScriptFile } from "./script.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    host: { type: "string", default: "127.0.0.1" },
    script: { type: "string" },
  },
});
if (values.script === undefined) {
  process.stderr.write("usage: node test/models/main.ts --port N --script FILE\n");
  process.exit(2);
}

const { models = {}, conversations } = parseScriptFile(await readFile(values.script, "utf8"));
const mock = await startModelMock({ conversations }, { models, port: Number(values.port), host: values.host });
process.stdout.write(`the model mock listens on ${mock.origin}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void mock.close().then(() => process.exit(0)));
}
