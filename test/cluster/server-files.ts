// Where a test API server keeps its files, what it writes into them before its start, and the flags of its programs.

import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { auditLogEnding, renderAuditArguments, renderAuditPolicy } from "./audit.ts";
import { renderCertificateKubeconfig } from "./certificate-kubeconfig.ts";
import { createAuthority, createSigningKey } from "./certificates.ts";
import type { Authority } from "./certificates.ts";

export interface ServerPorts {
  readonly api: number;
  readonly etcd: number;
}

export interface ServerFiles {
  readonly dir: string;
  readonly url: string;
  readonly ports: ServerPorts;
  readonly kubeconfigPath: string;
  readonly caPath: string;
  readonly token: string;
  /** What ServiceAccounts did, one JSON event a line. */
  readonly auditLogPath: string;
}

const loopback = "127.0.0.1";
export const serviceAddresses = "10.96.0.0/16";

/** Where a certificate or a key lies. */
export const pki = (dir: string, name: string): string => join(dir, "pki", name);

export const caPath = (dir: string): string => pki(dir, "ca.crt");

const auditPolicy = (dir: string): string => join(dir, "audit-policy");

interface ServerFilesRequest {
  readonly dir: string;
  readonly ports: ServerPorts;
  /** Default: `dir`. */
  readonly auditDir?: string;
  /** Where the server listens. Default: 127.0.0.1. */
  readonly address?: string;
  /** Further names in the server's certificate. */
  readonly serverNames?: readonly string[];
  /** Default: a new one. */
  readonly authority?: Authority;
}

/** Writes certificates, keys, tokens and the administrator's kubeconfig below `dir`, readable by this user only. */
export async function writeServerFiles(request: ServerFilesRequest): Promise<ServerFiles> {
  const { dir, ports, auditDir = dir, address = loopback, serverNames = [] } = request;
  const id = randomBytes(4).toString("hex");
  const files: ServerFiles = {
    dir,
    ports,
    url: `https://${address}:${ports.api}`,
    kubeconfigPath: join(dir, "kubeconfig"),
    caPath: caPath(dir),
    token: randomBytes(16).toString("hex"),
    auditLogPath: join(auditDir, `audit-${id}${auditLogEnding}`),
  };
  const authority = request.authority ?? createAuthority("pallas-test-ca");
  const serving = authority.issue({
    commonName: "kube-apiserver",
    serverNames: ["localhost", loopback, "kubernetes.default.svc", ...serverNames],
  });
  const admin = authority.issue({ commonName: "pallas-admin", organization: "system:masters" });
  const serviceAccounts = createSigningKey();
  await mkdir(join(dir, "pki"), { recursive: true });
  const write = async (path: string, text: string): Promise<void> => writeFile(path, text, { mode: 0o600 });
  await Promise.all([
    write(files.caPath, authority.certificatePem),
    write(pki(dir, "ca.key"), authority.keyPem),
    write(pki(dir, "apiserver.crt"), serving.certificatePem),
    write(pki(dir, "apiserver.key"), serving.keyPem),
    // Two files: kube-apiserver does not take the public half from a PKCS#8 private key.
    write(pki(dir, "service-account.pub"), serviceAccounts.publicPem),
    write(pki(dir, "service-account.key"), serviceAccounts.privatePem),
    write(pki(dir, "tokens.csv"), `${files.token},pallas-admin,pallas-admin,"system:masters"\n`),
    write(auditPolicy(dir), renderAuditPolicy()),
    write(files.kubeconfigPath, renderCertificateKubeconfig(files.url, authority, admin)),
  ]);
  return files;
}

/** etcd without fsync: losing the data of a crashed machine is fine here, and it makes writes several times faster. */
export function renderEtcdArguments({ dir, ports }: ServerFiles): string[] {
  return [
    "--name=test",
    `--data-dir=${join(dir, "etcd")}`,
    "--unsafe-no-fsync",
    "--log-level=warn",
    `--listen-client-urls=http://127.0.0.1:${ports.etcd}`,
    `--advertise-client-urls=http://127.0.0.1:${ports.etcd}`,
    "--listen-peer-urls=http://127.0.0.1:0",
  ];
}

export function renderApiServerArguments({ dir, ports, caPath, auditLogPath }: ServerFiles): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1", // else it looks for an address of the machine's network, and there may be none
    "--endpoint-reconciler-type=none",
    `--secure-port=${ports.api}`,
    `--tls-cert-file=${pki(dir, "apiserver.crt")}`,
    `--tls-private-key-file=${pki(dir, "apiserver.key")}`,
    `--client-ca-file=${caPath}`,
    `--token-auth-file=${pki(dir, "tokens.csv")}`,
    "--authorization-mode=Node,RBAC",
    `--service-cluster-ip-range=${serviceAddresses}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${pki(dir, "service-account.pub")}`,
    `--service-account-signing-key-file=${pki(dir, "service-account.key")}`,
    "--profiling=false",
    ...renderAuditArguments(auditPolicy(dir), auditLogPath),
  ];
}

/** All controllers, as the administrator: an identity for each (the default of a real cluster) costs start time only. */
export function renderControllerManagerArguments({ dir, kubeconfigPath, caPath }: ServerFiles): string[] {
  return [
    `--kubeconfig=${kubeconfigPath}`,
    "--secure-port=0",
    "--leader-elect=false",
    `--root-ca-file=${caPath}`,
    `--service-account-private-key-file=${pki(dir, "service-account.key")}`,
    `--cluster-signing-cert-file=${caPath}`,
    `--cluster-signing-key-file=${pki(dir, "ca.key")}`,
    `--service-cluster-ip-range=${serviceAddresses}`,
    "--kube-api-qps=500", // the default of 20 makes it wait five seconds for itself
    "--kube-api-burst=1000",
    `--flex-volume-plugin-dir=${join(dir, "flexvolume")}`, // the default is a folder of the system
    "--profiling=false",
  ];
}
