// The issuer as the page offers it: leaving for it, taking up its answer after the page has loaded anew, and what went wrong meanwhile, which
// stands beside the button until somebody tries again.
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Session } from "../session/session.ts";
import { createOidcSignIn, type OidcPlace, type OidcSettings } from "./oidc.ts";
import { SignInProblem } from "./problem.ts";

export interface IssuerSignIn {
  /** Host by which people know it. */
  readonly name: string;
  readonly isWorking: ReadonlySignal<boolean>;
  readonly problem: ReadonlySignal<string | undefined>;
  /** Leaves the page for the issuer. */
  begin(keep: boolean): Promise<void>;
  /** Signs in who comes back from it; nothing where nobody does. */
  finish(): Promise<void>;
}

export function createIssuerSignIn(
  settings: OidcSettings,
  place: OidcPlace,
  session: Pick<Session, "signIn">,
): IssuerSignIn {
  const oidc = createOidcSignIn(settings, place);
  const isWorking = signal(false);
  const problem = signal<string | undefined>();
  const work = async (step: () => Promise<void>) => {
    isWorking.value = true;
    problem.value = undefined;
    try {
      await step();
    } catch (error) {
      if (!(error instanceof SignInProblem)) throw error;
      problem.value = error.message;
    } finally {
      isWorking.value = false;
    }
  };
  return {
    name: URL.parse(settings.issuer)?.host ?? settings.issuer,
    isWorking,
    problem,
    begin: (keep) => work(() => oidc.begin(keep)),
    finish: () =>
      work(async () => {
        const signedIn = await oidc.finish();
        if (signedIn !== undefined) session.signIn(signedIn.token, signedIn.keep);
      }),
  };
}
