// The network of pods, for a program of ours where there is none: loaded before it (`--import`), it leads connections to Services
// and addresses of pods to processes on this machine, as the file POD_NETWORK says at the time; all others go where they went.
import { readFileSync } from "node:fs";
import { Socket } from "node:net";

const connect = Socket.prototype.connect;

/** As `net.connect` and http pass it: options, alone or first in a list. */
function redirect(given: unknown): void {
  const options: unknown = Array.isArray(given) ? given[0] : given;
  // Those of http have no prototype.
  if (typeof options !== "object" || options === null) return;
  const network: unknown = JSON.parse(readFileSync(process.env["POD_NETWORK"] ?? "", "utf8"));
  const port: unknown = Reflect.get(Object(network), `${Reflect.get(options, "host")}:${Reflect.get(options, "port")}`);
  if (typeof port !== "number") return;
  Reflect.set(options, "host", "127.0.0.1");
  Reflect.set(options, "port", port);
}

Socket.prototype.connect = function connectInPodNetwork(this: Socket, ...given: unknown[]) {
  redirect(given[0]);
  return Reflect.apply(connect, this, given);
};
