// Places to browse for tests: real HTTP servers on loopback that speak as the real ones do, or lie.
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { systemClock, type Clock } from "../../../../lib/process/clock.ts";
import { createBrowser, type Browser } from "../browser.ts";
import type { ConfiguredSource } from "../open-source.ts";

export interface TestSource {
  readonly url: string;
  /** Each request: its path and query. */
  readonly asked: string[];
  readonly headers: IncomingMessage["headers"][];
}

export async function startSource(listener: RequestListener): Promise<TestSource> {
  const asked: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    headers.push(request.headers);
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a TCP port");
  return { url: `http://127.0.0.1:${address.port}`, asked, headers };
}

/** JSON for each path that has one; 404 for others. */
export const startJson = (answer: (url: URL) => unknown): Promise<TestSource> =>
  startSource((request, response) => {
    const value = answer(new URL(request.url ?? "", "http://a"));
    if (value === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  });

/** A registry of npm with search. */
export const startNpm = (packages: readonly object[]): Promise<TestSource> =>
  startJson(({ pathname, searchParams }) => {
    if (pathname !== "/-/v1/search") return undefined;
    const [from, size] = ["from", "size"].map((name) => Number(searchParams.get(name)));
    const page = packages.slice(from, (from ?? 0) + (size ?? 0));
    return { objects: page.map((each) => ({ package: each })), total: packages.length };
  });

/** One without: whole manifests, by name. */
export const startNpmMirror = (manifests: Readonly<Record<string, object>>): Promise<TestSource> =>
  startJson(({ pathname }) => {
    const name = decodeURIComponent(pathname.slice(1)).replace(/\/latest$/, "");
    return pathname.endsWith("/latest") ? manifests[name] : undefined;
  });

/** A registry that speaks the generic API, with pages as the official one has. */
export const startRegistry = (servers: readonly object[]): Promise<TestSource> =>
  startJson(({ pathname, searchParams }) => {
    if (pathname !== "/v0.1/servers") {
      const [, name] = /^\/v0\.1\/servers\/(.+)\/versions\/latest$/.exec(pathname) ?? [];
      const found = servers.find((each) => Reflect.get(each, "name") === decodeURIComponent(name ?? ""));
      return found && { server: found, _meta: {} };
    }
    const from = Number(searchParams.get("cursor") ?? 0);
    const page = servers.slice(from, from + Number(searchParams.get("limit")));
    const next = from + page.length;
    const metadata = { count: page.length, ...(next < servers.length && { nextCursor: String(next) }) };
    return { servers: page.map((server) => ({ server, _meta: {} })), metadata };
  });

export function openBrowser(sources: readonly ConfiguredSource[], clock: Clock = systemClock): Browser {
  const browser = createBrowser({ readSources: async () => sources, clock });
  onTestFinished(() => browser.close());
  return browser;
}

export const npmPackage = (name: string, version = "1.0.0", more: object = {}) => ({
  name,
  version,
  description: `The package ${name}.`,
  ...more,
});
export const serverJson = (name: string, more: object = {}) => ({
  name,
  description: `The server ${name}.`,
  version: "1.0.0",
  ...more,
});
