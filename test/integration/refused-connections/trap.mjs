/**
 * Loaded before a program: every name that ends in .trap leads to a metadata address, and every connection that is begun
 * to one is told on standard error. It begins one itself, which shows that none goes unseen.
 */
import dns from "node:dns";
import { subscribe } from "node:diagnostics_channel";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const metadata = "169.254.169.254";
const { lookup } = dns;
dns.lookup = (hostname, options, callback) => {
  if (!hostname.endsWith(".trap")) return lookup(hostname, options, callback);
  const found = { address: metadata, family: 4 };
  return options.all === true ? callback(null, [found]) : callback(null, found.address, found.family);
};
syncBuiltinESMExports();

subscribe("net.client.socket", ({ socket }) => {
  socket.on("connectionAttempt", (ip) => {
    if (ip === metadata) process.stderr.write(`connection begun\n`);
  });
});
net
  .connect(80, "control.trap")
  .on("error", () => undefined)
  .unref();
