import { expect, it } from "vitest";
import { createFakeTime } from "../../testing/fake-time.ts";
import { openFeedSocket } from "./feed-socket.ts";

function open(token = "t~?ok/en") {
  const time = createFakeTime();
  const sockets: { socket: WebSocket; url: string; protocols: string[]; isClosed: boolean }[] = [];
  const messages: string[] = [];
  const states: boolean[] = [];
  const close = openFeedSocket({
    ...{ origin: "https://gateway.example", token, time },
    onMessage: (text) => messages.push(text),
    onOpen: (isOpen) => states.push(isOpen),
    open(url, protocols) {
      const opened = { url, protocols, isClosed: false };
      const socket = Object.assign(new EventTarget(), {
        close() {
          entry.isClosed = true;
          socket.dispatchEvent(new Event("close"));
        },
      });
      // Only what is used of a WebSocket.
      const entry = Object.assign(opened, { socket: Object.assign(Object.create(null), {}) });
      entry.socket = socket;
      sockets.push(entry);
      return entry.socket;
    },
  });
  const tell = (type: string, data?: unknown) =>
    sockets.at(-1)?.socket.dispatchEvent(Object.assign(new Event(type), { data }));
  return { time, sockets, messages, states, close, tell };
}

it("carries the token as a subprotocol that the gateway knows, and nowhere else", () => {
  const { sockets } = open();
  expect(sockets[0]).toMatchObject({
    url: "wss://gateway.example/ws",
    protocols: ["pallas.v1", `base64url.bearer.authorization.pallas.${Buffer.from("t~?ok/en").toString("base64url")}`],
  });
});

it("hears texts, and is opened again with back-off when it is lost", () => {
  const { time, sockets, messages, states, tell } = open();
  tell("open");
  tell("message", "a");
  tell("message", new ArrayBuffer(1));
  tell("close");
  expect([messages, states, sockets.length]).toEqual([["a"], [true, false], 1]);
  time.advance(1_000);
  expect(sockets).toHaveLength(2);
  tell("close");
  time.advance(1_400);
  expect(sockets).toHaveLength(2);
  time.advance(600);
  expect(sockets).toHaveLength(3);
});

it("gives up one that does not open, and tries again", () => {
  const { time, sockets } = open();
  time.advance(9_999);
  expect(sockets[0]?.isClosed).toBe(false);
  time.advance(1);
  expect(sockets[0]?.isClosed).toBe(true);
  time.advance(1_000);
  expect(sockets).toHaveLength(2);
});

it("stays closed once the view is gone", () => {
  const { time, sockets, states, messages, tell, close } = open();
  tell("open");
  close();
  tell("message", "late");
  time.advance(60_000);
  expect([sockets.length, sockets[0]?.isClosed, states, messages]).toEqual([1, true, [true], []]);
});
