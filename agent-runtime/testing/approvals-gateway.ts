// The part of a gateway that agents ask for approvals, for tests: real HTTP on loopback, everything in memory, and breakable.
import { Hono } from "hono";
import type { ApprovalDecision } from "../../crds/approval.ts";
import type { ApprovalLine, ApprovalQuestion } from "../../crds/approval-wire.ts";
import { listen, type RunningServer } from "../../lib/process/http-server.ts";
import { createTestLog } from "./servers.ts";

type Verdict = Omit<ApprovalDecision, "argumentsHash" | "by" | "at"> & { argumentsHash?: string; by?: string };

interface Known {
  question: ApprovalQuestion;
  decision?: ApprovalDecision;
  usedBy?: string;
  isGone?: boolean;
}

export interface ApprovalsGateway {
  url: string;
  /** By name, in the order in which they were asked. */
  known: Map<string, Known>;
  /** `METHOD path` of each request, with its token. */
  requests: { what: string; authorization: string | undefined }[];
  decide(name: string, verdict: Verdict): void;
  expire(name: string): void;
  /** Breaks the streams that run. */
  breakOff(): void;
  /** Answers the next request whose `METHOD path` matches with this status and word, and does what it asks all the same when `late`. */
  failNext(what: RegExp, status: number, late?: boolean, word?: string): void;
  stop(): Promise<void>;
}

export async function startApprovalsGateway({ heartbeatMs = 100, port = 0 } = {}): Promise<ApprovalsGateway> {
  const known = new Map<string, Known>();
  const requests: ApprovalsGateway["requests"] = [];
  const failures: { what: RegExp; status: number; late: boolean; word: string }[] = [];
  const streams = new Set<{ name: string; look: () => void; end: () => void }>();
  const look = (name: string) => [...streams].filter((each) => each.name === name).forEach((each) => each.look());

  const stream = (name: string): Response => {
    let stop = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (line: ApprovalLine) => controller.enqueue(Buffer.from(`${JSON.stringify(line)}\n`));
        const beat = setInterval(() => send({ type: "heartbeat" }), heartbeatMs);
        stop = () => {
          clearInterval(beat);
          streams.delete(own);
        };
        const finish = (line: ApprovalLine) => {
          send(line);
          stop();
          controller.close();
        };
        const own = {
          name,
          look() {
            const { decision, isGone } = known.get(name) ?? {};
            if (decision !== undefined) finish({ type: "decided", name, decision });
            else if (isGone === true) finish({ type: "expired", name });
          },
          end() {
            stop();
            controller.close();
          },
        };
        streams.add(own);
        send({ type: "waiting", name, expiresAt: "2026-01-01T00:10:00Z" });
        own.look();
      },
      cancel: () => stop(),
    });
    return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
  };

  const app = new Hono();
  app.use(async (c, next) => {
    const what = `${c.req.method} ${c.req.path}`;
    requests.push({ what, authorization: c.req.header("authorization") });
    const at = failures.findIndex((each) => each.what.test(what));
    const [failure] = at === -1 ? [] : failures.splice(at, 1);
    if (failure === undefined || failure.late) await next();
    if (failure === undefined) return;
    c.res = Response.json({ error: failure.word, message: "broken" }, { status: failure.status });
  });
  app.post("/agent/approvals", async (c) => {
    const question: ApprovalQuestion = await c.req.json();
    const equal = [...known].find(
      ([, each]) => each.question.argumentsHash === question.argumentsHash && !each.usedBy && !each.isGone,
    );
    const name = equal?.[0] ?? `clerk-${known.size + 1}`;
    if (equal === undefined) known.set(name, { question });
    return stream(name);
  });
  const missing = { error: "not_found", message: "no such approval" };
  app.get("/agent/approvals/:name", (c) =>
    known.has(c.req.param("name")) ? stream(c.req.param("name")) : c.json(missing, 404),
  );
  app.post("/agent/approvals/:name/use", async (c) => {
    const own = known.get(c.req.param("name"));
    const { use } = await c.req.json<{ use: string }>();
    if (own?.decision === undefined) return c.json({ error: "undecided", message: "not yet" }, 409);
    if (own.decision.scope === "session") return c.json({ decision: own.decision });
    if ((own.usedBy ?? use) !== use) return c.json({ error: "used", message: "it was used" }, 409);
    own.usedBy = use;
    return c.json({ decision: own.decision });
  });
  const decide = (name: string, verdict: Verdict) => {
    const own = known.get(name);
    if (own === undefined) throw new Error(`no approval ${name}`);
    const { argumentsHash } = own.question;
    own.decision ??= { argumentsHash, by: "bob", at: "2026-01-01T00:00:00Z", ...verdict };
    look(name);
  };
  app.post("/agent/approvals/:name/caller", async (c) => {
    const name = c.req.param("name");
    const own = known.get(name);
    if (own?.decision !== undefined) return c.json({ error: "decided", message: "bob was first" }, 409);
    decide(name, { by: "caller", ...(await c.req.json<Verdict>()) });
    return c.json({ decision: own?.decision });
  });
  const expire = (name: string) => {
    const own = known.get(name);
    if (own !== undefined) own.isGone = true;
    look(name);
  };
  app.delete("/agent/approvals/:name", (c) => {
    expire(c.req.param("name"));
    return c.body(null, 204);
  });
  const server: RunningServer = await listen(app.fetch, {
    port,
    hostname: "127.0.0.1",
    log: createTestLog("SILENT").log,
  });
  return {
    url: server.url,
    known,
    requests,
    decide,
    expire,
    breakOff: () => [...streams].forEach((each) => each.end()),
    failNext: (what, status, late = false, word = "unready") => void failures.push({ what, status, late, word }),
    async stop() {
      [...streams].forEach((each) => each.end());
      await server.close({ graceMs: 0 });
    },
  };
}
