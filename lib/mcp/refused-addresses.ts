/**
 * The addresses that nobody's configuration may make us call: link-local ones and the metadata services of clouds (SEC-5).
 * Literals are checked in the URL; names are checked when they are resolved, by the very look-up that the connection uses.
 */
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Thrown before anything is sent. Its code puts it among network faults. */
class RefusedAddressError extends Error {
  override readonly name = "RefusedAddressError";
  readonly code = "EREFUSEDADDRESS";
}

const refused = new BlockList();
refused.addSubnet("169.254.0.0", 16, "ipv4");
refused.addAddress("100.100.100.200", "ipv4");
refused.addSubnet("fe80::", 10, "ipv6");
refused.addAddress("fd00:ec2::254", "ipv6");
refused.addAddress("fd20:ce::254", "ipv6");
// 169.254.0.0/16 behind a NAT64 gateway.
refused.addSubnet("64:ff9b::a9fe:0", 112, "ipv6");

/** True for a link-local or metadata address; IPv4-mapped IPv6 counts as its IPv4 address. */
export function isRefusedAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  const family = isIP(bare);
  return family !== 0 && refused.check(bare, family === 6 ? "ipv6" : "ipv4");
}

/** Throws when `url`'s host is a refused address literal. The URL parser has already undone octal, hex and the like. */
export function refuseLiteral(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isRefusedAddress(host)) {
    throw new RefusedAddressError(`${host} is a link-local or metadata address, which servers may not have`);
  }
}

/** A look-up for sockets that fails when a name leads to a refused address, even beside good ones. */
export function guardLookup(resolve: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const addresses: LookupAddress[] = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const bad = error === null ? addresses.find(({ address }) => isRefusedAddress(address)) : undefined;
      const fault =
        error ??
        (bad && new RefusedAddressError(`${hostname} leads to ${bad.address}, a link-local or metadata address`));
      const first = addresses[0];
      if (fault || first === undefined) {
        callback(fault ?? new Error(`${hostname} has no address`), "");
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
