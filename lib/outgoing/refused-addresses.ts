// The addresses that nobody's configuration may make us call: link-local ones and the metadata services of clouds (SEC-5).
// Literals are checked as they stand; names when they are resolved, by the very look-up that the connection uses.
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Puts the error among network faults. */
export const refusedAddressCode = "EREFUSEDADDRESS";

/** Thrown before anything is sent. */
class RefusedAddressError extends Error {
  override readonly name = "RefusedAddressError";
  readonly code = refusedAddressCode;
}

/** The same as those that manifests are judged by; a test compares. */
export const refusedRanges = [
  "169.254.0.0/16", // link-local, and with it nearly every cloud's metadata
  "100.100.100.200/32", // Alibaba Cloud
  "168.63.129.16/32", // Azure's WireServer
  "192.0.0.192/32", // Oracle Cloud
  "fe80::/10", // link-local
  "fd00:ec2::254/128", // AWS
  "fd00:ec2::23/128", // AWS, credentials of pods
  "fd20:ce::254/128", // Google Cloud
  "fd00:c1::a9fe:a9fe/128", // Oracle Cloud
  "fd00:100::100:200/128", // Alibaba Cloud
  "fd00:a9fe:a9fe::1/128", // Akamai
  "fd00:42::42/128", // Scaleway
  // The IPv4 ranges behind a NAT64 gateway, as IPv4-compatible and IPv4-translated addresses, and through 6to4.
  ...["64:ff9b::a9fe:0/112", "64:ff9b::6464:64c8/128", "64:ff9b::a83f:8110/128", "64:ff9b::c000:c0/128"],
  ...["::a9fe:0/112", "::6464:64c8/128", "::a83f:8110/128", "::c000:c0/128"],
  ...["::ffff:0:a9fe:0/112", "::ffff:0:6464:64c8/128", "::ffff:0:a83f:8110/128", "::ffff:0:c000:c0/128"],
  ...["2002:a9fe::/32", "2002:6464:64c8::/48", "2002:a83f:8110::/48", "2002:c000:c0::/48"],
  "64:ff9b:1::/48", // NAT64 of a network's own making: where in it the IPv4 address stands is that network's choice
] as const;

const refused = new BlockList();
for (const range of refusedRanges) {
  const [address = "", prefix] = range.split("/");
  refused.addSubnet(address, Number(prefix), isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** True for a link-local or metadata address; IPv4-mapped IPv6 counts as its IPv4 address, and a zone does not count. */
export function isRefusedAddress(address: string): boolean {
  const [bare = ""] = address.split("%", 1);
  const family = isIP(bare);
  return family !== 0 && refused.check(bare, family === 6 ? "ipv6" : "ipv4");
}

/** Throws when `host`, as a URL or a socket's options have it, is a refused address literal. */
export function refuseLiteral(host: string): void {
  const bare = host.replace(/^\[|\]$/g, "");
  if (isRefusedAddress(bare)) {
    throw new RefusedAddressError(`${bare} is a link-local or metadata address, which nothing may be sent to`);
  }
}

/** A look-up for sockets that fails when a name leads to a refused address, even beside good ones. */
export function guardLookup(resolve: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const addresses: LookupAddress[] = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      const bad = error === null ? addresses.find(({ address }) => isRefusedAddress(address)) : undefined;
      const problem =
        error ??
        (bad && new RefusedAddressError(`${hostname} leads to ${bad.address}, a link-local or metadata address`));
      const first = addresses[0];
      if (problem || first === undefined) {
        callback(problem ?? new Error(`${hostname} has no address`), "");
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
