// Where a test API server keeps its files, what it writes into them before its start, and the flags of its programs.

import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { auditLogEnding, renderAuditArguments, renderAuditPolicy } from "./audit.ts";
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

const serviceAddresses = "10.96.0.0/16";

const pki = (dir: string, name: string): string => join(dir, "pki", name);

const auditPolicy = (dir: string): string => join(dir, "audit-policy");

/** Writes certificates, keys, tokens and the administrator's kubeconfig below `dir`, readable by this user only. */
export async function writeServerFiles(dir: string, ports: ServerPorts, auditDir = dir): Promise<ServerFiles> {
  const id = randomBytes(4).toString("hex");
  const files: ServerFiles = {
    dir,
    ports,
    url: `https://127.0.0.1:${ports.api}`,
    kubeconfigPath: join(dir, "kubeconfig"),
    caPath: pki(dir, "ca.crt"),
    token: randomBytes(16).toString("hex"),
    auditLogPath: join(auditDir, `audit-${id}${auditLogEnding}`),
  };
  const authority = createAuthority("pallas-test-ca");
  const serving = authority.issue({
    commonName: "kube-apiserver",
    serverNames: ["localhost", "127.0.0.1", "kubernetes.default.svc"],
  });
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
    write(files.kubeconfigPath, renderKubeconfig(files.url, authority)),
  ]);
  return files;
}

// JSON, which is YAML too.
function renderKubeconfig(url: string, authority: Authority): string {
  const admin = authority.issue({ commonName: "pallas-admin", organization: "system:masters" });
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "test", cluster: { server: url, "certificate-authority-data": base64(authority.certificatePem) } },
    ],
    users: [
      {
        name: "admin",
        user: {
          "client-certificate-data": base64(admin.certificatePem),
          "client-key-data": base64(admin.keyPem),
        },
      },
    ],
    contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    "current-context": "test",
  });
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
