// The kubeconfig of a client that shows a certificate.

import type { Authority, CertifiedKey } from "./certificates.ts";

/** JSON, which is YAML too. */
export function renderCertificateKubeconfig(server: string, authority: Authority, client: CertifiedKey): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority-data": base64(authority.certificatePem) } }],
    users: [
      {
        name: "client",
        user: {
          "client-certificate-data": base64(client.certificatePem),
          "client-key-data": base64(client.keyPem),
        },
      },
    ],
    contexts: [{ name: "test", context: { cluster: "test", user: "client" } }],
    "current-context": "test",
  });
}
