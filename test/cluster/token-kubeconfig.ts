// The kubeconfig of a client that is whoever its bearer token says, and nobody else.

/** JSON, which is YAML too. */
export function renderTokenKubeconfig(server: string, caPem: string, token: string): string {
  const ca = Buffer.from(caPem).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server, "certificate-authority-data": ca } }],
    users: [{ name: "client", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "client" } }],
    "current-context": "test",
  });
}
