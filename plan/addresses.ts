// IP addresses and ranges as plain numbers, and the ranges that nothing of ours may be sent to: link-local addresses and
// the metadata services of clouds (SEC-5). A runtime checks them again when it resolves a name.

interface Address {
  family: 4 | 6;
  value: bigint;
}

/** Addresses that share their first `prefix` bits. */
interface Range extends Address {
  prefix: number;
}

const bitsOf = { 4: 32, 6: 128 } as const;

function parseIpv4(text: string): bigint | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1);
  // A leading zero means octal to some readers and decimal to others.
  if (!parts || parts.some((part) => Number(part) > 255 || (part.length > 1 && part.startsWith("0")))) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  const lastPart = text.slice(text.lastIndexOf(":") + 1);
  if (lastPart.includes(".")) {
    const tail = parseIpv4(lastPart);
    if (tail === undefined) return undefined;
    const rest = text.slice(0, -lastPart.length);
    return parseIpv6(`${rest}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`);
  }
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => "0"), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** An IP address without brackets; an IPv4 address inside IPv6 is that IPv4 address. Undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  const v4 = parseIpv4(text);
  if (v4 !== undefined) return { family: 4, value: v4 };
  const v6 = text.includes(":") ? parseIpv6(text) : undefined;
  if (v6 === undefined) return undefined;
  return v6 >> 32n === 0xffffn ? { family: 4, value: v6 & 0xffff_ffffn } : { family: 6, value: v6 };
}

/** A range such as 10.0.0.0/8, or undefined. */
export function parseRange(text: string): Range | undefined {
  const [, base = "", bits = ""] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseAddress(base);
  const prefix = Number(bits);
  // An IPv4 address written as IPv6 would change what the prefix counts.
  if (!address || prefix > bitsOf[address.family] || base.includes(":") !== (address.family === 6)) return undefined;
  return { ...address, prefix };
}

/** Whether every address of `inner` is one of `outer`. */
export function containsRange(outer: Range, inner: Range): boolean {
  const shift = BigInt(bitsOf[outer.family] - outer.prefix);
  return outer.family === inner.family && inner.prefix >= outer.prefix && outer.value >> shift === inner.value >> shift;
}

export const singleAddress = (address: Address): Range => ({ ...address, prefix: bitsOf[address.family] });

/** The usual form of an IPv4 address. */
export const formatIpv4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");

/** As a runtime has them; a test compares. IPv4 inside IPv6 as `::ffff:a.b.c.d` is read as IPv4 and needs no range. */
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

const refusedNames: ReadonlySet<string> = new Set(["metadata.google.internal", "metadata.goog"]);

/** The host of a URL without brackets and without the dot that ends an absolute name. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

/** Whether nothing in a range may be called. */
export const isRefusedRange = (range: Range): boolean =>
  refusedRanges.some((text) => {
    const refused = parseRange(text);
    return refused !== undefined && containsRange(refused, range);
  });

/** Whether every address of one range, as text, is one of another; false where one of them is none. */
export function covers(outer: string, inner: string): boolean {
  const [whole, part] = [parseRange(outer), parseRange(inner)];
  return whole !== undefined && part !== undefined && containsRange(whole, part);
}

/** The refused ranges inside another. */
export const refusedRangesIn = (cidr: string): string[] => refusedRanges.filter((range) => covers(cidr, range));

/** Whether a URL leads to a link-local or metadata address, as far as the URL itself tells. */
export function isRefusedHost(url: URL): boolean {
  const host = bareHost(url);
  const address = parseAddress(host);
  return address ? isRefusedRange(singleAddress(address)) : refusedNames.has(host);
}
