// Headless Chromium (Debian's package) with one page, spoken to by the DevTools protocol over a WebSocket. It reaches this machine
// and nothing else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const commandTimeoutMs = 30_000;

export interface Page {
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** All events so far, oldest first. */
  events: { method: string; params: Record<string, unknown> }[];
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Loads a URL and waits until it is there. */
  open(url: string): Promise<void>;
  press(key: string): Promise<void>;
}

export async function startChromium(): Promise<{ page: Page; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "pallas-chromium-"));
  const flags = [
    "--headless=new",
    // The tests may run as root, where the sandbox cannot.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
    `--user-data-dir=${folder}`,
  ];
  const child = spawn("chromium", [...flags, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await exited;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      const [, url] = /^DevTools listening on (ws:\S+)/.exec(line) ?? [];
      if (url !== undefined) return { page: await openPage(url), stop };
    }
    throw new Error("chromium ended before it listened");
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openPage(browserUrl: string): Promise<Page> {
  const socket = new WebSocket(browserUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error(`${browserUrl} cannot be reached`)));
  });
  const events: Page["events"] = [];
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data));
    if (id === undefined) events.push({ method, params });
    else if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(JSON.stringify(error)));
  });
  let sent = 0;
  /** Commands go to the browser until there is a session with the page. */
  const session: { sessionId?: unknown } = {};
  const send: Page["send"] = async (method, params = {}) => {
    sent += 1;
    const answer = Promise.withResolvers<Record<string, unknown>>();
    waiting.set(sent, answer);
    socket.send(JSON.stringify({ id: sent, method, params, ...session }));
    const timer = setTimeout(() => answer.reject(new Error(`${method} was not answered`)), commandTimeoutMs);
    return answer.promise.finally(() => clearTimeout(timer));
  };
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  session.sessionId = (await send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"];
  for (const domain of ["Page", "Log", "Runtime", "Network", "Accessibility"]) await send(`${domain}.enable`);
  return {
    send,
    events,
    async evaluate(expression) {
      const { result } = await send("Runtime.evaluate", { expression, returnByValue: true });
      return Object(result).value;
    },
    async open(url) {
      const loads = () => events.filter(({ method }) => method === "Page.loadEventFired").length;
      const before = loads();
      await send("Page.navigate", { url });
      const endMs = performance.now() + commandTimeoutMs;
      while (loads() === before) {
        if (performance.now() > endMs) throw new Error(`${url} was not loaded`);
        await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
      }
    },
    async press(key) {
      const code = { Tab: 9, Enter: 13 }[key] ?? 0;
      const event = { key, code: key, windowsVirtualKeyCode: code, ...(key === "Enter" && { text: "\r" }) };
      await send("Input.dispatchKeyEvent", { type: "keyDown", ...event });
      await send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
  };
}
