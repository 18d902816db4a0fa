// What manifests are judged by and what a runtime connects to: neither may know an address that the other does not.
import { describe, expect, it } from "vitest";
import { isRefusedAddress, refusedRanges as refusedByRuntime } from "../lib/outgoing/refused-addresses.ts";
import { isRefusedHost, refusedRanges as refusedByPlan } from "../plan/addresses.ts";

const inUrl = (address: string) => new URL(`http://${address.includes(":") ? `[${address}]` : address}/`);
const verdicts = (address: string) => ({
  address,
  plan: isRefusedHost(inUrl(address)),
  runtime: isRefusedAddress(address),
});

describe("SEC-5 addresses that nothing may be sent to", () => {
  it("are the same ranges for manifests and for connections", () => {
    expect(refusedByRuntime).toEqual(refusedByPlan);
  });

  it.each([
    ...["169.254.0.0", "169.254.169.254", "169.254.255.255", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
    ...["fe80::", "fe80::1", "febf:ffff::1"],
    ...["fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42"],
    ...["fd00:c1::a9fe:a9fe", "fd00:100::100:200", "fd00:a9fe:a9fe::1"],
    // Each of the IPv4 ones in every way in which IPv6 may hold it.
    ...["::ffff:169.254.169.254", "::ffff:100.100.100.200", "::ffff:168.63.129.16", "::ffff:192.0.0.192"],
    ...["::169.254.169.254", "::100.100.100.200", "::168.63.129.16", "::192.0.0.192"],
    ...["::ffff:0:169.254.169.254", "::ffff:0:100.100.100.200", "::ffff:0:168.63.129.16", "::ffff:0:192.0.0.192"],
    ...["64:ff9b::169.254.169.254", "64:ff9b::100.100.100.200", "64:ff9b::168.63.129.16", "64:ff9b::192.0.0.192"],
    ...["2002:a9fe:a9fe::1", "2002:6464:64c8::", "2002:a83f:8110:ffff::1", "2002:c000:c0::1"],
    ...["64:ff9b:1::", "64:ff9b:1:a9fe:a9:fe00::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ])("%s", (address) => {
    expect(verdicts(address)).toEqual({ address, plan: true, runtime: true });
  });

  it.each([
    // One beside each range.
    ...["169.253.255.255", "169.255.0.0", "100.100.100.199", "100.100.100.201", "168.63.129.15", "168.63.129.17"],
    ...["192.0.0.191", "192.0.0.193", "fe7f::1", "fec0::1", "fd00:ec2::253", "fd00:ec2::22", "fd20:ce::253"],
    ...["fd00:c1::a9fe:a9fd", "fd00:100::100:201", "fd00:a9fe:a9fe::2", "::ffff:0:169.255.0.0", "::ffff:0:8.8.8.8"],
    ...["fd00:42::41", "::ffff:169.253.255.255", "::169.253.255.255", "::169.255.0.0", "::100.100.100.201"],
    ...["64:ff9b::169.253.255.255", "64:ff9b::169.255.0.0", "64:ff9b::8.8.8.8", "64:ff9b::192.0.0.193"],
    ...["2002:a9fd:ffff::1", "2002:a9ff::1", "2002:6464:64c9::", "64:ff9b:0:ffff::1", "64:ff9b:2::"],
    // Loopback and everyday ones.
    ...["127.0.0.1", "::1", "10.0.0.1", "192.168.0.1", "fd00::1", "2001:db8::1", "8.8.8.8"],
  ])("%s may be called", (address) => {
    expect(verdicts(address)).toEqual({ address, plan: false, runtime: false });
  });
});
