// The gateway's WebSocket for as long as the tester is on screen: opened with the person's token as a subprotocol, opened again with
// back-off when it is lost. It only listens.
import { waitAfter } from "../../connect/back-off.ts";
import type { PageTime } from "../../time.ts";

const protocol = "pallas.v1";
const tokenPrefix = "base64url.bearer.authorization.pallas.";
const openTimeoutMs = 10_000;
/** A state of 5,000 tools is large; nothing else comes near. */
const maxMessageChars = 16 * 1024 * 1024;

export interface FeedSocketOptions {
  origin: string;
  token: string;
  time: Pick<PageTime, "after">;
  onMessage(text: string): void;
  onOpen(isOpen: boolean): void;
  /** In place of the browser's. */
  open?: (url: string, protocols: string[]) => WebSocket;
}

const encodeToken = (token: string): string =>
  btoa(token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Returns how to close it. */
export function openFeedSocket(options: FeedSocketOptions): () => void {
  const { origin, token, time, onMessage, onOpen, open = (url, protocols) => new WebSocket(url, protocols) } = options;
  const url = `${origin.replace(/^http/, "ws")}/ws`;
  let isClosed = false;
  let failures = 0;
  let socket: WebSocket | undefined;
  let cancelTimer = () => {};
  const connect = () => {
    const own = open(url, [protocol, `${tokenPrefix}${encodeToken(token)}`]);
    socket = own;
    cancelTimer = time.after(openTimeoutMs, () => own.close());
    own.addEventListener("open", () => {
      cancelTimer();
      failures = 0;
      onOpen(true);
    });
    own.addEventListener("message", ({ data }) => {
      if (!isClosed && typeof data === "string" && data.length <= maxMessageChars) onMessage(data);
    });
    own.addEventListener("close", () => {
      cancelTimer();
      if (isClosed) return;
      onOpen(false);
      failures += 1;
      cancelTimer = time.after(waitAfter(failures), connect);
    });
  };
  connect();
  return () => {
    isClosed = true;
    cancelTimer();
    socket?.close();
  };
}
