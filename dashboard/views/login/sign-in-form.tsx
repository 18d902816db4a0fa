// A field for a token, and a button for the issuer where one is configured. In a strip over a page that stays, or by itself.
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { usePage } from "../../page.ts";
import { loginWords as words } from "../../words/login.ts";
import { fill } from "../../words/fill.ts";

/** What a header can carry. */
const tokenForm = /^[!-~]{1,8192}$/;

export function SignInForm({ isInPlace = false }: { isInPlace?: boolean }) {
  const { session, config } = usePage();
  const [token, setToken] = useState("");
  const [keep, setKeep] = useState(false);
  const [error, setError] = useState<string | undefined>();
  const { namespace, instance, local } = config;
  const signIn = (event: Event) => {
    event.preventDefault();
    const given = token.trim();
    if (!tokenForm.test(given)) setError(given === "" ? words.empty : words.malformed);
    else session.signIn(given, keep);
  };
  return (
    <form class={isInPlace ? "row wrap" : "stack-wide"} onSubmit={signIn}>
      <TextField
        label={words.token}
        type="password"
        value={token}
        onInput={(value) => {
          setToken(value);
          setError(undefined);
        }}
        mono
        autoFocus={!isInPlace}
        {...(error !== undefined && { error })}
        {...(!isInPlace && { note: words.looksLike })}
      />
      {!isInPlace && (
        <p class="note second">
          {words.howTo} <code>{local ? words.localCommand : fill(words.clusterCommand, { namespace, instance })}</code>
        </p>
      )}
      {!local && (
        <label class="row note">
          <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} />
          {words.keep}
        </label>
      )}
      <Button type="submit" look="filled" onPress={() => undefined}>
        {words.signIn}
      </Button>
      <IssuerButton keep={keep} />
    </form>
  );
}

/** Nothing where no issuer is configured. */
function IssuerButton({ keep }: { keep: boolean }) {
  const { issuer } = usePage();
  if (issuer === undefined) return null;
  const isWorking = issuer.isWorking.value;
  return (
    <>
      <Button onPress={() => void issuer.begin(keep)} {...(isWorking && { offBecause: words.oidcWorking })}>
        {fill(words.oidc, { issuer: issuer.name })}
      </Button>
      {issuer.problem.value !== undefined && (
        <p class="bad" role="alert">
          {issuer.problem.value}
        </p>
      )}
    </>
  );
}
