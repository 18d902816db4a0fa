// Makes the X.509 certificates of a test API server with Node's own crypto: a P-256 authority and the leaves it signs.
// Written out in DER because Node can read certificates but not make them, and a test run should not need openssl.
// Not for production: no revocation, no key identifiers, IPv4 only, valid for one year.

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { isIP } from "node:net";

/** A certificate with its private key, both PEM (the key PKCS#8). */
export interface CertifiedKey {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** What a leaf certificate says. With `serverNames` (DNS names and IPv4 addresses) it is good for serving too. */
interface LeafRequest {
  readonly commonName: string;
  readonly organization?: string;
  readonly serverNames?: readonly string[];
}

export interface Authority extends CertifiedKey {
  issue(request: LeafRequest): CertifiedKey;
}

const oids = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  organization: "2.5.4.10",
  commonName: "2.5.4.3",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

const hourMs = 3_600_000;

/** A new self-signed authority; nothing of it is stored. */
export function createAuthority(commonName: string): Authority {
  const keys = createKeyPair();
  const authorityName = renderName({ commonName });
  const certify = (subject: Buffer, publicKey: KeyObject, extensions: readonly Buffer[]): string =>
    renderCertificate({ issuer: authorityName, subject, publicKey, extensions, signingKey: keys.privateKey });

  const certificatePem = certify(authorityName, keys.publicKey, [
    extension(oids.basicConstraints, true, sequence(der(0x01, Buffer.of(0xff)))),
    extension(oids.keyUsage, true, der(0x03, Buffer.of(1, 0x06))), // keyCertSign, cRLSign
  ]);

  return {
    certificatePem,
    keyPem: privatePem(keys.privateKey),
    issue(request) {
      const leaf = createKeyPair();
      return {
        certificatePem: certify(renderName(request), leaf.publicKey, leafExtensions(request.serverNames ?? [])),
        keyPem: privatePem(leaf.privateKey),
      };
    },
  };
}

/** A key pair without a certificate, as kube-apiserver wants for service-account tokens: the public half in its own PEM. */
export function createSigningKey(): { readonly publicPem: string; readonly privatePem: string } {
  const keys = createKeyPair();
  return {
    publicPem: keys.publicKey.export({ type: "spki", format: "pem" }).toString(),
    privatePem: privatePem(keys.privateKey),
  };
}

function createKeyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function privatePem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

interface CertificateParts {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signingKey: KeyObject;
}

function renderCertificate({ issuer, subject, publicKey, extensions, signingKey }: CertificateParts): string {
  const algorithm = sequence(objectId(oids.ecdsaWithSha256));
  const now = Date.now();
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))), // version 3
    der(0x02, Buffer.concat([Buffer.of(0x01), randomBytes(15)])), // a leading 1 keeps the serial number positive
    algorithm,
    issuer,
    sequence(time(now - hourMs), time(now + 365 * 24 * hourMs)), // the hour is for clocks that differ
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const certificate = sequence(body, algorithm, bitString(sign("sha256", body, signingKey)));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function leafExtensions(serverNames: readonly string[]): Buffer[] {
  const usages = serverNames.length > 0 ? [oids.serverAuth, oids.clientAuth] : [oids.clientAuth];
  const extensions = [
    extension(oids.basicConstraints, true, sequence()),
    extension(oids.keyUsage, true, der(0x03, Buffer.of(7, 0x80))), // digitalSignature
    extension(oids.extendedKeyUsage, false, sequence(...usages.map(objectId))),
  ];
  if (serverNames.length > 0) {
    extensions.push(extension(oids.subjectAltName, false, sequence(...serverNames.map(alternativeName))));
  }
  return extensions;
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 6) throw new Error(`expected a DNS name or an IPv4 address, found ${name}; IPv6 is not supported`);
  return isIP(name) === 4 ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name, "ascii"));
}

function renderName(name: { readonly commonName: string; readonly organization?: string }): Buffer {
  const part = (oid: string, value: string): Buffer =>
    der(0x31, sequence(objectId(oid), der(0x0c, Buffer.from(value, "utf8"))));
  const organization = name.organization === undefined ? [] : [part(oids.organization, name.organization)];
  return sequence(...organization, part(oids.commonName, name.commonName));
}

function extension(oid: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [der(0x01, Buffer.of(0xff))] : [];
  return sequence(objectId(oid), ...flag, der(0x04, value));
}

function time(atMs: number): Buffer {
  const text = new Date(atMs).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(text.slice(2), "ascii")); // UTCTime: YYMMDDHHMMSSZ
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

function bitString(content: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.of(0), content]));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}
