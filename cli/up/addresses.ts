// The address that everything listens on: by which name this machine reaches it, and whether others can.
import { isIP } from "node:net";

const everyAddress: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Whether it is all addresses of this machine. */
export const isEveryAddress = (host: string): boolean => everyAddress.has(host);

/** Whether only programs of this machine reach it. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** As part of a URL, for this machine. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** The same as people write it. */
export const urlHost = (host: string): string =>
  isEveryAddress(host) || host === "127.0.0.1" ? "localhost" : reachableHost(host);
