// The certificates that OpenTelemetry's variables name: the library reads them only for connections that it makes by itself.
import { readFile } from "node:fs/promises";

interface Certificates {
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
}

const files = { ca: "CERTIFICATE", cert: "CLIENT_CERTIFICATE", key: "CLIENT_KEY" } as const;
const kinds = ["ca", "cert", "key"] as const;

/** Those of one signal, else of all. Rejects when a file that is named cannot be read. */
export async function readCertificates(
  signal: "TRACES" | "METRICS",
  env: Readonly<Record<string, string | undefined>>,
): Promise<Certificates> {
  const found: Certificates = {};
  for (const kind of kinds) {
    const path = env[`OTEL_EXPORTER_OTLP_${signal}_${files[kind]}`] || env[`OTEL_EXPORTER_OTLP_${files[kind]}`];
    if (path !== undefined && path !== "") found[kind] = await readFile(path);
  }
  return found;
}
