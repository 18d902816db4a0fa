// The WebSocket at `/` and `/ws` (DSC-10): the state of servers when a client comes and whenever it changes, and each call as it is
// noted. Pushed, never polled; a client sees what its identity sees. One that reads slowly is owed one state and no more than so many
// bytes of everything else; one that does not answer pings is gone.
import { Hono, type Context } from "hono";
import { WebSocket, WebSocketServer } from "ws";
import { websocketProtocol } from "../../lib/auth/request-credentials.ts";
import type { Identity } from "../../lib/auth/roles.ts";
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { Clock, Timer } from "../../lib/process/clock.ts";
import type { UpgradedConnection } from "../../lib/process/http-upgrade.ts";
import { seesServer } from "../management/access.ts";
import type { GatewayRoutes } from "../name-caller.ts";
import { needs } from "../rest/answers.ts";
import type { CallLog } from "../servers/call-log.ts";
import type { ToolServers } from "../servers/tool-servers.ts";
import type { GatewayPolicy } from "../policy/gateway-policy.ts";
import { visibleTools } from "../policy/visible-tools.ts";
import { renderLogMessage, renderProblem, renderSaid, renderState } from "./messages.ts";

export const maxMessageBytes = 4_096;
export const maxClients = 50;
export const pingMs = 30_000;
/** Changes of a moment are one state. */
const settleMs = 200;
/** What waits for a slow reader; beyond it calls are left out, and the state waits until there is room. */
const maxWaitingBytes = 1024 * 1024;
/** What a client may send in a second. */
export const maxMessagesPerSecond = 50;
const maxTimerMs = 2 ** 31 - 1;
const closeCodes = { goingAway: 1001, policy: 1008 } as const;

export interface FeedParts {
  policy: Pick<GatewayPolicy, "hides" | "onChange">;
  servers: Pick<ToolServers, "list" | "onChange">;
  calls: Pick<CallLog, "onEntry">;
  version: string;
  clock: Clock;
}

export interface Feed {
  app: Hono<GatewayRoutes>;
  countClients(): number;
  /** Says goodbye to all. */
  close(): void;
}

export function createFeed(parts: FeedParts): Feed {
  const { policy, servers, calls, clock } = parts;
  const clients = new Set<Client>();
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    // The subprotocol that carries a token is never answered with.
    handleProtocols: (offered) => offered.has(websocketProtocol) && websocketProtocol,
  });
  let changed: Timer | undefined;
  const tellState = () => {
    changed = undefined;
    for (const client of clients) client.oweState();
  };
  const stops = [
    ...[servers, policy].map((each) => each.onChange(() => void (changed ??= clock.schedule(settleMs, tellState)))),
    calls.onEntry((entry, said) => {
      for (const client of clients) {
        if (!seesServer(client.identity, entry.server)) continue;
        client.send(renderLogMessage(entry, client.identity));
        // What a server says while somebody uses it is said to them.
        if (said !== undefined && client.identity.subject === entry.caller) client.send(renderSaid(entry, said));
      }
    }),
  ];
  let pinging = clock.schedule(pingMs, ping);
  function ping(): void {
    for (const client of clients) client.ping();
    pinging = clock.schedule(pingMs, ping);
  }
  const open = (connection: UpgradedConnection, identity: Identity) => {
    const { incoming, socket, head, draining } = connection;
    server.handleUpgrade(incoming, socket, head, (ws) => {
      const client = new Client(ws, identity, parts);
      clients.add(client);
      const goAway = () => ws.close(closeCodes.goingAway, "the gateway is shutting down");
      draining.addEventListener("abort", goAway, { once: true });
      ws.on("close", () => {
        draining.removeEventListener("abort", goAway);
        client.end();
        clients.delete(client);
      });
    });
  };
  const app = new Hono<GatewayRoutes>();
  const accept = async (c: Context<GatewayRoutes>, next: () => Promise<void>) => {
    const { upgrade } = c.env;
    if (upgrade === undefined) return await next();
    if (clients.size >= maxClients) {
      const message = `there are ${maxClients} WebSockets already: try again later`;
      return c.json({ error: "unavailable", message }, 503, { "Retry-After": "5" });
    }
    const identity = c.get("caller");
    return upgrade.accept((connection) => open(connection, identity));
  };
  for (const path of ["/", "/ws"]) {
    app.get(path, async (c, next) => (c.env.upgrade === undefined ? await next() : await needs("viewer")(c, next)));
    app.get(path, accept);
  }
  return {
    app,
    countClients: () => clients.size,
    close() {
      for (const stop of stops) stop();
      changed?.cancel();
      pinging.cancel();
      for (const client of clients) client.close(closeCodes.goingAway, "the gateway is shutting down");
    },
  };
}

class Client {
  readonly identity: Identity;
  readonly #ws: WebSocket;
  readonly #parts: FeedParts;
  readonly #expiry: Timer | undefined;
  #isAlive = true;
  #owesState = false;
  #isWriting = false;
  #second = 0;
  #received = 0;

  constructor(ws: WebSocket, identity: Identity, parts: FeedParts) {
    this.#ws = ws;
    this.identity = identity;
    this.#parts = parts;
    const { clock } = parts;
    const { expiresAtMs } = identity;
    const leftMs = expiresAtMs === undefined ? undefined : Math.min(expiresAtMs - clock.wallNow(), maxTimerMs);
    this.#expiry =
      leftMs === undefined
        ? undefined
        : clock.schedule(Math.max(0, leftMs), () => this.close(closeCodes.policy, "the token has expired"));
    ws.on("pong", () => (this.#isAlive = true));
    // A message that is too large, or no WebSocket frame, closes the connection with its own code.
    ws.on("error", () => undefined);
    ws.on("message", (data, isBinary) => this.#receive(data, isBinary));
    this.oweState();
  }

  /** The state as it is once there is room for it. */
  oweState(): void {
    this.#owesState = true;
    this.#sendState();
  }

  /** Left out where too much waits already. */
  send(message: object): void {
    if (this.#ws.readyState !== WebSocket.OPEN || this.#ws.bufferedAmount > maxWaitingBytes) return;
    this.#ws.send(JSON.stringify(message), () => undefined);
  }

  ping(): void {
    if (!this.#isAlive) {
      this.#ws.terminate();
      return;
    }
    this.#isAlive = false;
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.ping();
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  end(): void {
    this.#expiry?.cancel();
  }

  #sendState(): void {
    if (!this.#owesState || this.#isWriting || this.#ws.readyState !== WebSocket.OPEN) return;
    const { policy, servers, version } = this.#parts;
    const hides = policy.hides(this.identity);
    this.#owesState = false;
    this.#isWriting = true;
    // Written means taken by the kernel: what changes until then is in the next one.
    const state = renderState(servers.list(this.identity), (server) => visibleTools(server, hides), version);
    this.#ws.send(JSON.stringify(state), () => {
      this.#isWriting = false;
      this.#sendState();
    });
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const second = Math.floor(this.#parts.clock.now() / 1000);
    this.#received = second === this.#second ? this.#received + 1 : 1;
    this.#second = second;
    if (this.#received > maxMessagesPerSecond) {
      this.close(closeCodes.policy, `more than ${maxMessagesPerSecond} messages in a second`);
      return;
    }
    const message = isBinary ? undefined : parseJson(data);
    if (isJsonObject(message) && message["type"] === "refresh") this.oweState();
    else if (isJsonObject(message)) this.send(renderProblem('unknown message: expected { "type": "refresh" }'));
    else this.send(renderProblem('invalid JSON: expected an object such as { "type": "refresh" }'));
  }
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString("utf8"));
  } catch {
    return undefined;
  }
}
