// Words for signing in.
export const loginWords = {
  title: "Sign in to {instance}",
  token: "Token",
  looksLike:
    "A long text without spaces, such as eyJhbGciOi… of a ServiceAccount, or one that your administrator gave you.",
  howTo: "One command makes one:",
  clusterCommand: "kubectl create token NAME -n {namespace} --audience pallas:{namespace}/{instance}",
  localCommand: "pallas token",
  keep: "Keep it for this tab, over a reload",
  signIn: "Sign in",
  oidc: "Sign in with {issuer}",
  oidcWorking: "The issuer is being asked",
  empty: "Paste a token first.",
  malformed: "A token has no spaces and no line breaks. Copy it once more.",
  refused: "The gateway does not take this token: {reason}",
} as const;
