// Why signing in with an issuer did not work, as a sentence for the person. It holds no code and no token.
export class SignInProblem extends Error {
  override readonly name = "SignInProblem";
}
