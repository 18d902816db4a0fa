// Who is nobody yet: what the page is, and the way in.
import { usePage } from "../../page.ts";
import { loginWords as words } from "../../words/login.ts";
import { fill } from "../../words/fill.ts";
import { SignInForm } from "./sign-in-form.tsx";

export function LoginView() {
  const { config } = usePage();
  return (
    <main id="main" class="login">
      <div class="card pad stack-wide">
        <h1 tabIndex={-1}>{fill(words.title, { instance: config.instance })}</h1>
        <SignInForm />
      </div>
    </main>
  );
}
