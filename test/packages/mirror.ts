// The package registries that this machine's npm and pip are set up with, for pods that have neither their settings nor their
// certificates: only reads, every link in an answer led back here. It keeps nothing.
import { execFile } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { findPython, openEnvironment } from "../python/environment.ts";

const run = promisify(execFile);
const timeoutMs = 120_000;
const maxIndexBytes = 64 * 1024 * 1024;
const simpleJson = "application/vnd.pypi.simple.v1+json";

export interface PackageMirror extends AsyncDisposable {
  readonly port: number;
  /** What npx and uvx are told by variables to use the mirror, which is reached at `host`. */
  renderEnv(host: string): { name: string; value: string }[];
}

interface Upstreams {
  readonly npm: URL;
  readonly simple: URL;
}

/** As the machine's own clients have them. */
async function findUpstreams(): Promise<Upstreams> {
  const askPip = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)";
  const found = await findPython();
  if (found === undefined) throw new Error("expected a Python that can make environments, found none; see make tools");
  const python = await openEnvironment(found, "servers");
  const [npm, own, standard] = await Promise.all([
    run("npm", ["config", "get", "registry"], { timeout: timeoutMs }),
    run(python, ["-m", "pip", "config", "get", "global.index-url"], { timeout: timeoutMs }).catch(() => undefined),
    run(python, ["-c", askPip], { timeout: timeoutMs }),
  ]);
  const withSlash = (text: string) => new URL(`${text.trim().replace(/\/$/, "")}/`);
  return { npm: withSlash(npm.stdout), simple: withSlash(own?.stdout ?? standard.stdout) };
}

/** Listens on every address of this machine, since pods come by the node's. */
export async function startPackageMirror(): Promise<PackageMirror> {
  const upstreams = await findUpstreams();
  /** Hosts of files, by their number in our paths. */
  const fileHosts: string[] = [];
  const renderFileUrl = (base: string, url: URL): string => {
    const known = fileHosts.indexOf(url.origin);
    const at = known === -1 ? fileHosts.push(url.origin) - 1 : known;
    return `${base}/files/${at}${url.pathname}${url.hash}`;
  };

  const passOn = async (url: URL, response: ServerResponse): Promise<void> => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    response.writeHead(answer.status, {
      "content-type": answer.headers.get("content-type") ?? "application/octet-stream",
    });
    if (answer.body === null) response.end();
    else await pipeline(answer.body, response);
  };
  const readIndex = async (url: URL, accept: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(url, { headers: { accept }, signal: AbortSignal.timeout(timeoutMs) });
    const text = await answer.text();
    if (text.length > maxIndexBytes) throw new Error(`expected an index of at most ${maxIndexBytes} bytes at ${url}`);
    return { status: answer.status, text };
  };
  const serveNpm = async (path: string, base: string, response: ServerResponse): Promise<void> => {
    const url = new URL(path, upstreams.npm);
    if (path.includes("/-/")) return passOn(url, response);
    const { status, text } = await readIndex(url, "application/json");
    const here = text.replaceAll(upstreams.npm.href, `${base}/npm/`);
    response.writeHead(status, { "content-type": "application/json" }).end(here);
  };
  const serveSimple = async (path: string, base: string, response: ServerResponse): Promise<void> => {
    const { status, text } = await readIndex(new URL(path, upstreams.simple), simpleJson);
    if (status !== 200) return void response.writeHead(status).end();
    const index: { files: { url: string }[] } = JSON.parse(text);
    const files = index.files.map((file) => ({
      ...file,
      url: renderFileUrl(base, new URL(file.url, upstreams.simple)),
    }));
    response.writeHead(200, { "content-type": simpleJson }).end(JSON.stringify({ ...index, files }));
  };
  const serve = async (target: string, host: string, response: ServerResponse): Promise<void> => {
    const base = `http://${host}`;
    const [, part = "", rest = ""] = /^\/(npm|simple|files)\/(.*)$/.exec(target) ?? [];
    if (part === "npm") return serveNpm(rest, base, response);
    if (part === "simple") return serveSimple(rest, base, response);
    const [, at = "", path = ""] = /^(\d+)(\/.*)$/.exec(rest) ?? [];
    const origin = fileHosts[Number(at)];
    if (part !== "files" || origin === undefined) return void response.writeHead(404).end();
    return passOn(new URL(path, origin), response);
  };

  const server = createServer((request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") return void response.writeHead(405).end();
    serve(request.url ?? "/", request.headers.host ?? "", response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(String(error));
    });
    return undefined;
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port, found none");
  const { port } = address;
  return {
    port,
    renderEnv: (host) => [
      { name: "npm_config_registry", value: `http://${host}:${port}/npm/` },
      { name: "UV_DEFAULT_INDEX", value: `http://${host}:${port}/simple` },
    ],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
