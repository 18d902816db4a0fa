// One end of a named pipe. It is opened for both directions, so that opening waits for nobody, and read by the event loop: a file
// stream would take one of the few threads for as long as nothing comes.
import { constants, open, readSync } from "node:fs";
import { promisify } from "node:util";
// oxlint-disable-next-line no-restricted-imports -- a pipe of this machine; it connects to nothing
import { Socket } from "node:net";

export interface Pipe {
  readonly socket: Socket;
  /** What is in the pipe now and has not been heard of. */
  takeRest(): Buffer[];
}

export async function openPipe(path: string, direction: "read" | "write"): Promise<Pipe> {
  // Of the kind that is a number: a FileHandle would close it a second time.
  const fd = await openFile(path, constants.O_RDWR | constants.O_NONBLOCK);
  const isReader = direction === "read";
  const socket = new Socket({ fd, readable: isReader, writable: !isReader });
  socket.on("error", () => undefined);
  return { socket, takeRest: () => (socket.destroyed ? [] : readRest(fd)) };
}

const openFile = promisify(open);

function readRest(fd: number): Buffer[] {
  const parts: Buffer[] = [];
  for (;;) {
    const part = Buffer.alloc(64 * 1024);
    try {
      const bytes = readSync(fd, part);
      if (bytes === 0) return parts;
      parts.push(part.subarray(0, bytes));
    } catch {
      // Nothing is left.
      return parts;
    }
  }
}
