// As much of the package `ws` as the feed uses; its own types are a package by themselves.
declare module "ws" {
  import type { IncomingMessage } from "node:http";
  import type { Duplex } from "node:stream";
  import type { EventEmitter } from "node:events";

  export class WebSocket extends EventEmitter {
    /** Not written to the connection yet. */
    readonly bufferedAmount: number;
    readonly readyState: number;
    static readonly OPEN: 1;
    send(text: string, onWritten?: (error?: Error) => void): void;
    ping(): void;
    close(code: number, reason?: string): void;
    terminate(): void;
    on(event: "message", listener: (data: Buffer, isBinary: boolean) => void): this;
    on(event: "pong" | "close", listener: () => void): this;
    on(event: "error", listener: (error: Error) => void): this;
  }

  export interface ServerOptions {
    noServer: true;
    maxPayload: number;
    perMessageDeflate: false;
    handleProtocols: (offered: Set<string>) => string | false;
  }

  export class WebSocketServer {
    constructor(options: ServerOptions);
    handleUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer, onOpen: (client: WebSocket) => void): void;
  }
}
