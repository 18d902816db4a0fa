// A real Prometheus as a child process: it scrapes what it is told each second, and plays the alerts that are shipped with
// seconds for their minutes, hours and days.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump } from "js-yaml";
import { vi } from "vitest";
import { z } from "zod";
import { findFreePorts } from "../../lib/process/testing/free-ports.ts";
import { readRuleText } from "./rule-file.ts";

const startTimeoutMs = 30_000;

export interface ScrapeTarget {
  readonly job: string;
  readonly url: string;
  /** The series say themselves whose they are, `job` and `instance` included. */
  readonly honorLabels?: true;
}

export interface Alert {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface PrometheusProcess extends AsyncDisposable {
  firing(): Promise<Alert[]>;
  /** The values of a query, one for each series. */
  query(expression: string): Promise<number[]>;
}

const alertsSchema = z.object({
  data: z.object({
    alerts: z.array(
      z.object({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()),
        state: z.string(),
      }),
    ),
  }),
});
const querySchema = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

/** Windows of 10 s hold ten scrapes; the day before is half a minute, and ends when the hour begins. */
function hasten(rules: string): string {
  return rules
    .replaceAll(/^( +for:) \d+m$/gm, "$1 2s")
    .replaceAll("[1d] offset 1h", "[30s] offset 10s")
    .replaceAll(/\[\d+[mh]\]/g, "[10s]");
}

export async function startPrometheus(targets: readonly ScrapeTarget[]): Promise<PrometheusProcess> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-prometheus-"));
  await writeFile(join(folder, "alerts.yaml"), hasten(readRuleText()));
  const config = {
    global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
    rule_files: ["alerts.yaml"],
    scrape_configs: targets.map(({ job, url, honorLabels = false }) => ({
      job_name: job,
      honor_labels: honorLabels,
      static_configs: [{ targets: [new URL(url).host] }],
    })),
  };
  await writeFile(join(folder, "prometheus.yml"), dump(config));
  const address = `127.0.0.1:${await findFreePorts()}`;
  const files = [`--config.file=${join(folder, "prometheus.yml")}`, `--storage.tsdb.path=${join(folder, "data")}`];
  const child = spawn("prometheus", [...files, `--web.listen-address=${address}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const exited = once(child, "exit");
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const get = async (path: string): Promise<unknown> => (await fetch(`http://${address}${path}`)).json();
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`expected Prometheus to run, found it ended:\n${log}`);
    return (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.status === 200;
  };
  await vi.waitUntil(isReady, { timeout: startTimeoutMs });
  return {
    async firing() {
      const { alerts } = alertsSchema.parse(await get("/api/v1/alerts")).data;
      return alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels, annotations }) => ({ name: labels["alertname"] ?? "", annotations }));
    },
    async query(expression) {
      const found = querySchema.parse(await get(`/api/v1/query?query=${encodeURIComponent(expression)}`));
      return found.data.result.map(({ value }) => Number(value[1]));
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
      process.off("exit", kill);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
