// What `make up` runs: the example's tool server, and beside it `pallas up` on this folder, until that ends.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import "./tool-server.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const pallas = spawn(
  process.execPath,
  [here("../../dist/pallas.js"), "up", "-f", here("."), ...process.argv.slice(2)],
  // Over the IPC channel pallas notices when this process is gone, and stops.
  { stdio: ["inherit", "inherit", "inherit", "ipc"] },
);
process.on("SIGINT", () => undefined); // a terminal sends it to pallas, too
process.on("SIGTERM", () => pallas.kill("SIGTERM"));
pallas.on("exit", (code) => process.exit(code ?? 1));
