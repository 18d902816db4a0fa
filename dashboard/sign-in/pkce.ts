// The three secrets of one sign-in: a state that the answer must bring back, a nonce that the ID token must hold, and a verifier
// (RFC 7636), by which the issuer gives tokens to this page and to nobody who saw the code.

export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** What the issuer is told of the verifier. */
  readonly challenge: string;
}

export type PageCrypto = Pick<Crypto, "getRandomValues" | "subtle">;

const secretBytes = 32;

function encode(bytes: Uint8Array): string {
  const binary = String.fromCharCode(...bytes);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function makeSecrets(crypto: PageCrypto): Promise<SignInSecrets> {
  const random = () => encode(crypto.getRandomValues(new Uint8Array(secretBytes)));
  const verifier = random();
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { state: random(), nonce: random(), verifier, challenge: encode(new Uint8Array(digest)) };
}
