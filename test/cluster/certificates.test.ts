// The certificates are judged by readers that are not ours: Node's X509Certificate here, Go's TLS in api-server.test.ts.

import { createPrivateKey, X509Certificate } from "node:crypto";

import { describe, expect, it } from "vitest";

import { createAuthority } from "./certificates.ts";

describe("test certificates", () => {
  const authority = createAuthority("test-ca");
  const root = new X509Certificate(authority.certificatePem);

  it("an authority is self-signed and may sign others", () => {
    expect(root.ca).toBe(true);
    expect(root.subject).toBe("CN=test-ca");
    expect(root.verify(root.publicKey)).toBe(true);
  });

  it("a serving certificate is good for its names only", () => {
    const issued = authority.issue({ commonName: "server", serverNames: ["localhost", "127.0.0.1"] });
    const leaf = new X509Certificate(issued.certificatePem);
    expect(leaf.verify(root.publicKey)).toBe(true);
    expect(leaf.checkIssued(root)).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.checkPrivateKey(createPrivateKey(issued.keyPem))).toBe(true);
    expect([leaf.checkHost("localhost"), leaf.checkIP("127.0.0.1")]).toEqual(["localhost", "127.0.0.1"]);
    expect([leaf.checkHost("example.com"), leaf.checkIP("127.0.0.2")]).toEqual([undefined, undefined]);
  });

  it("a client certificate carries group and user, is valid now and within a year no more", () => {
    const { certificatePem } = authority.issue({ commonName: "jane", organization: "system:masters" });
    const leaf = new X509Certificate(certificatePem);
    expect(leaf.subject).toBe("O=system:masters\nCN=jane");
    expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(leaf.validFromDate.getTime()).toBeLessThan(Date.now());
    const daysLeft = (leaf.validToDate.getTime() - Date.now()) / 86_400_000;
    expect(Math.round(daysLeft)).toBe(365);
  });

  it("a name long enough for two length bytes survives", () => {
    const serverNames = Array.from({ length: 40 }, (_, index) => `host-${index}.example.com`);
    const leaf = new X509Certificate(authority.issue({ commonName: "server", serverNames }).certificatePem);
    expect(leaf.checkHost("host-39.example.com")).toBe("host-39.example.com");
  });

  it("another authority's signature is not taken", () => {
    const leaf = new X509Certificate(createAuthority("test-ca").issue({ commonName: "jane" }).certificatePem);
    expect(leaf.verify(root.publicKey)).toBe(false);
  });

  it("an IPv6 address is refused by name", () => {
    expect(() => authority.issue({ commonName: "server", serverNames: ["::1"] })).toThrow("found ::1");
  });
});
