// Words for what goes wrong while somebody signs in with an issuer: what was expected, what was found, and what to do.
export const signInWords = {
  unsafe: "A browser signs in with an issuer only over https, or on localhost. Open the dashboard by such an address.",
  unreachable: "{issuer} does not answer this page. Its {what} must answer pages of {origin} (CORS).",
  timeout: "{issuer} took longer than {seconds} s to answer. Try again.",
  status: "{issuer} answers with HTTP status {status} when it is asked for its {what}.",
  strange: "{issuer} answers with something else than its {what}.",
  documentName: "discovery document",
  tokenName: "tokens",
  otherIssuer: "The discovery document of {issuer} is one of {found}. Correct spec.auth.jwt.issuer of the instance.",
  badEndpoint: "{issuer} names {found} as an endpoint, which is neither https nor on this machine.",
  noPkce: "{issuer} does not offer the code flow with PKCE (S256), which this page needs.",
  otherHost:
    "{issuer} hands out tokens at {found}, and this page may ask nobody but {issuer}. Sign in with a token in its place.",
  refused: "{issuer} refused: {reason}",
  otherTab: "This answer of an issuer belongs to no sign-in that this tab began. Sign in again.",
  late: "Signing in took longer than {minutes} minutes. Sign in again.",
  mixedUp: "The answer is one of {found}, and {issuer} was asked. Sign in again, and tell who runs the issuer.",
  noBearer: "{issuer} hands out tokens of the type {found}, and the gateway takes Bearer.",
  noIdToken: "{issuer} hands out no ID token, though openid was asked for. Let its client for this page have one.",
  badIdToken: "The ID token of {issuer} is not made out for this sign-in: {problem}. Sign in again.",
  otherAudience:
    "The tokens of {issuer} are made out to {found}, and the gateway takes those made out to {wanted}. Correct the client at the issuer, or spec.auth.jwt.audiences.",
  nobody: "nobody",
  idProblems: {
    form: "it is no JWT",
    issuer: "it is of another issuer",
    audience: "it is made out to another client",
    nonce: "it belongs to another sign-in",
    expired: "it has expired",
  },
} as const;
