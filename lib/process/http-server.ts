// Runs a fetch handler on node:http: deadlines for slow senders, a cap on connections, draining, and a close with a grace.
// WebSockets pass the same handler. It decides nothing about routes, hosts or bodies' sizes; those belong to the handler.
import { createServer, ServerResponse } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import { isIPv6 } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Http2Bindings, HttpBindings } from "@hono/node-server";
import { systemClock, type Clock } from "./clock.ts";
import { isEventStream, sendEvents } from "./event-stream.ts";
import { trackConnections } from "./http-connections.ts";
import { startDeadline, type Deadline } from "./http-deadline.ts";
import { createUpgradeGate, isWebSocketRequest, type Upgrade } from "./http-upgrade.ts";
import type { Logger } from "./log.ts";

export interface HttpLimits {
  /** From the connection's first byte to the end of the headers. */
  headersTimeoutMs: number;
  /** From the first byte to the end of the request's body. A response may take any time after it. */
  requestTimeoutMs: number;
  /** How long an idle connection is kept for the next request. */
  keepAliveTimeoutMs: number;
  /** Beyond this a connection costs the one that has been idle for longest; itself, where none is idle. */
  maxConnections: number;
  /** WebSockets at a time, where the server takes any; fewer than connections, so that there is room for requests. */
  maxUpgraded: number;
}

const defaultHttpLimits: Readonly<HttpLimits> = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  maxConnections: 2_048,
  maxUpgraded: 1_024,
};

/** What a handler learns beside the request; hono's `c.env`. `incoming` gives the socket's facts. */
export type ServerEnv = (HttpBindings | Http2Bindings) & {
  /** Where the server has a deadline. */
  deadline?: Deadline;
  /** Where the server takes WebSockets and the request asks for one. */
  upgrade?: Upgrade;
};

/** What hono's `app.fetch` is. */
export type FetchHandler = (request: Request, env: ServerEnv) => Response | Promise<Response>;

/**
 * Answers a request on node's own objects and returns true, or leaves it alone and returns false: for what is asked so
 * often that a Request and a Response would cost more than the answer.
 */
export type DirectHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

export interface RunningServer {
  readonly port: number;
  /** A URL by which this machine reaches the server, without a trailing slash. */
  readonly url: string;
  /** From now on every response says `Connection: close`; requests are still served. */
  setDraining(): void;
  /** Stops accepting, waits for requests in flight up to `graceMs`, then cuts off what is left. A second call joins the first. */
  close(options: { graceMs: number }): Promise<{ cutOff: number }>;
}

export interface ListenOptions {
  port: number;
  hostname: string;
  log: Logger;
  limits?: Partial<HttpLimits>;
  direct?: DirectHandler;
  /** For every request whose route says nothing else with `withDeadline`. Default: a response may take any time. */
  deadlineMs?: number;
  /** Whether routes may take WebSockets, by `c.env.upgrade`. Default: a request for one is served as any other. */
  upgrades?: boolean;
  /** Of deadlines. */
  clock?: Clock;
}

/**
 * Binds and serves. `port` 0 takes a free one. Rejects with the cure when the address cannot be bound.
 * A handler that throws gives 500 and a log line; the error's text never reaches the client.
 */
export async function listen(fetch: FetchHandler, options: ListenOptions): Promise<RunningServer> {
  const limits = { ...defaultHttpLimits, ...options.limits };
  const server = createServer({
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Node looks for late senders at this interval only; its own 30 s would stretch our deadlines.
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs, limits.requestTimeoutMs),
    ...(options.upgrades === true ? { shouldUpgradeCallback: isWebSocketRequest } : {}),
  });
  const gate = createUpgradeGate(limits);
  const upgrades = new WeakMap<object, Upgrade>();
  const withUpgrade = (env: HttpBindings | Http2Bindings): ServerEnv => {
    const upgrade = upgrades.get(env.incoming);
    return upgrade === undefined ? env : { ...env, upgrade };
  };
  const connections = trackConnections(server, { maxConnections: limits.maxConnections, log: options.log });
  const answer = getRequestListener((request, env) => respond(fetch, request, withUpgrade(env), options), {
    // Names the host of an HTTP/1.0 request without a Host header; guardHosts refuses such a request.
    hostname: "host-header-missing.invalid",
    // The override swaps the process's global Request and Response; libraries that compare classes would see two kinds.
    overrideGlobalObjects: false,
    // respond() does not throw, so what comes here is a request that cannot be represented, as a backslash in its path.
    errorHandler: () =>
      Response.json({ error: "bad_request", message: "malformed request line or Host header" }, { status: 400 }),
  });
  server.on("request", (incoming, outgoing) => {
    connections.begin(outgoing);
    if (options.direct?.(incoming, outgoing) === true) return;
    void answer(incoming, outgoing);
  });
  const onUpgrade = (incoming: IncomingMessage, head: Buffer) => {
    const { socket } = incoming;
    // What a client sends after an unanswered request on one connection cannot be told from its answer.
    if (!connections.beginUpgrade(socket)) return socket.destroy();
    const { outgoing, upgrade } = gate.begin(incoming, socket, head);
    upgrades.set(incoming, upgrade);
    return void answer(incoming, outgoing);
  };
  if (options.upgrades === true) server.on("upgrade", (incoming, _socket, head) => onUpgrade(incoming, head));
  const port = await bind(server, options);
  // Without a listener a failed accept (no file descriptors left) would end the process.
  server.on("error", (error) => options.log.error({ err: error }, "listening socket failed"));
  const setDraining = () => {
    connections.drain();
    gate.drain();
  };
  let closed: Promise<{ cutOff: number }> | undefined;
  return {
    port,
    url: `http://${renderReachableHost(options.hostname)}:${port}`,
    setDraining,
    close({ graceMs }) {
      setDraining();
      return (closed ??= connections.close(graceMs));
    },
  };
}

async function respond(
  fetch: FetchHandler,
  request: Request,
  env: ServerEnv,
  { log, deadlineMs, clock = systemClock }: ListenOptions,
): Promise<Response> {
  const path = () => new URL(request.url).pathname;
  try {
    const response = await fetchInTime(fetch, request, env, deadlineMs, clock);
    if (!isEventStream(response.headers)) return response;
    return await sendEvents(response, env.outgoing, (error) => {
      log.error({ path: path(), err: error }, "response stream failed");
      env.outgoing.destroy();
    });
  } catch (error) {
    // After the client has gone, an error is the cancellation's echo.
    if (request.signal.aborted) log.debug({ path: path(), err: error }, "request cancelled by the client");
    else log.error({ method: request.method, path: path(), err: error }, "request handler failed");
    return Response.json({ error: "internal_error", message: "internal error, see the server's log" }, { status: 500 });
  }
}

async function fetchInTime(
  fetch: FetchHandler,
  request: Request,
  env: ServerEnv,
  deadlineMs: number | undefined,
  clock: Clock,
): Promise<Response> {
  if (deadlineMs === undefined || !(env.outgoing instanceof ServerResponse)) return await fetch(request, env);
  const { late, ...deadline } = startDeadline(env.outgoing, deadlineMs, clock);
  const answer = Promise.resolve(fetch(request, { ...env, deadline }));
  const first = await Promise.race([answer, late]);
  if (env.upgrade?.isAccepted === true) deadline.restart(undefined);
  // What comes after the deadline is read by nobody.
  if (deadline.signal.aborted) void answer.then(({ body }) => body?.cancel()).catch(() => undefined);
  return first;
}

function bind(server: Server, { port, hostname }: { port: number; hostname: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(renderBindError(error, port, hostname));
    server.once("error", onError);
    server.listen(port, hostname, () => {
      server.off("error", onError);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function renderBindError(cause: NodeJS.ErrnoException, port: number, hostname: string): Error {
  const cures: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use: stop the program that holds it or choose another port`,
    EACCES: `port ${port} may not be opened by this user: choose one above 1023`,
    EADDRNOTAVAIL: `${hostname} is not an address of this machine: use 127.0.0.1, or 0.0.0.0 for all addresses`,
    ENOTFOUND: `${hostname} does not resolve: use an address of this machine, as 127.0.0.1`,
  };
  return new Error(cures[cause.code ?? ""] ?? `cannot listen on ${hostname} port ${port}: ${cause.message}`, { cause });
}

function renderReachableHost(hostname: string): string {
  if (hostname === "0.0.0.0") return "127.0.0.1";
  if (hostname === "::") return "[::1]";
  return isIPv6(hostname) ? `[${hostname}]` : hostname;
}
