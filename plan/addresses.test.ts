import { describe, expect, it } from "vitest";
import {
  containsRange,
  isRefusedHost,
  isRefusedRange,
  parseAddress,
  parseRange,
  refusedRanges,
  refusedRangesIn,
} from "./addresses.ts";

describe("IP addresses", () => {
  it.each([
    ["0.0.0.0", 4, 0n],
    ["255.255.255.255", 4, 0xffff_ffffn],
    ["10.1.2.3", 4, 0x0a01_0203n],
    ["::", 6, 0n],
    ["::1", 6, 1n],
    ["1::", 6, 1n << 112n],
    ["2001:db8:0:0:0:0:0:5", 6, (0x2001_0db8n << 96n) | 5n],
    ["64:ff9b::10.1.2.3", 6, (0x64n << 112n) | (0xff9bn << 96n) | 0x0a01_0203n],
    ["::ffff:10.1.2.3", 4, 0x0a01_0203n],
    ["::FFFF:a01:203", 4, 0x0a01_0203n],
  ])("%s", (text, family, value) => {
    expect(parseAddress(text)).toEqual({ family, value });
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "1:2",
    "1::2::3",
    "::12345",
    "g::",
    "1:2:3:4:5:6:7:8:9",
    "a.b",
    "1:2:3:4:5:6:7::8",
  ])("%j is none", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe("ranges", () => {
  it.each(["10.0.0.0/8", "0.0.0.0/0", "1.2.3.4/32", "fe80::/10", "::/0", "::1/128"])("%s is one", (text) => {
    expect(parseRange(text)).toBeDefined();
  });

  it.each(["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/08", "10.0.0.0/-1", "x/8", "/8", "::ffff:10.0.0.0/104"])(
    "%s is none",
    (text) => {
      expect(parseRange(text)).toBeUndefined();
    },
  );

  it.each([
    ["10.0.0.0/8", "10.1.2.0/24", true],
    ["10.0.0.0/8", "10.0.0.0/8", true],
    ["10.0.0.0/8", "11.0.0.0/24", false],
    ["10.1.0.0/16", "10.0.0.0/8", false],
    ["0.0.0.0/0", "203.0.113.1/32", true],
    ["0.0.0.0/0", "::/0", false],
    ["fe80::/10", "febf::1/128", true],
    ["fe80::/10", "fec0::/128", false],
  ])("%s contains %s: %s", (outer, inner, expected) => {
    const ranges = [outer, inner].map(parseRange);
    const [first, second] = ranges;
    expect(first && second && containsRange(first, second)).toBe(expected);
  });

  it("those that are refused are all readable", () => {
    for (const text of refusedRanges) expect(parseRange(text), text).toBeDefined();
  });

  it.each([
    ["169.254.0.0/16", true],
    ["169.254.169.254/32", true],
    ["169.254.0.0/15", false],
    ["168.63.129.16/31", false],
    ["fe80::/10", true],
    ["fe80::/9", false],
    ["64:ff9b:1:2::/64", true],
    ["0.0.0.0/0", false],
  ])("%s is of refused addresses only: %s", (text, expected) => {
    const range = parseRange(text);
    expect(range && isRefusedRange(range)).toBe(expected);
  });

  it("hold those that are refused inside them, of their own family", () => {
    const [v4, v6] = ["0.0.0.0/0", "::/0"].map(refusedRangesIn);
    expect(v4).toEqual(refusedRanges.filter((range) => !range.includes(":")));
    expect(v6).toEqual(refusedRanges.filter((range) => range.includes(":")));
    expect(refusedRangesIn("169.0.0.0/8")).toEqual(["169.254.0.0/16"]);
    expect(refusedRangesIn("fd00::/8")).toHaveLength(7);
    expect(refusedRangesIn("10.0.0.0/8")).toEqual([]);
  });
});

describe("SEC-5 hosts that nobody may call", () => {
  it.each([
    "http://169.254.169.254/",
    "http://169.254.0.1:8080/",
    "http://0xA9FEA9FE/", // the same in hexadecimal
    "http://2852039166/", // and as one number
    "http://0251.0376.0251.0376/", // and in octal
    "http://169.254.43518/",
    "http://[::ffff:169.254.169.254]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://100.100.100.200/",
    "http://metadata.google.internal/computeMetadata",
    "http://METADATA.google.internal./",
    "http://user:pass@169.254.169.254/",
    "http://①⑥⑨.254.169.254/", // digits in circles
  ])("%s", (url) => {
    expect(isRefusedHost(new URL(url))).toBe(true);
  });

  it.each([
    "http://169.253.255.255/",
    "http://169.255.0.0/",
    "http://[fec0::1]/",
    "http://metadata.svc/",
    "http://localhost/",
    "http://10.0.0.1/",
  ])("%s may be called", (url) => {
    expect(isRefusedHost(new URL(url))).toBe(false);
  });
});
