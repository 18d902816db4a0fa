// The strip on top while the connection is lost, the sign-in has ended, or the page is older than its gateway: since when, what is off
// meanwhile, and how to go on.
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { usePage } from "../page.ts";
import { fill } from "../words/fill.ts";
import { shellWords as words } from "../words/shell.ts";
import { tellClockWithSeconds } from "../words/times.ts";
import { SignInForm } from "../views/login/sign-in-form.tsx";
import { useNewVersion } from "./use-new-version.ts";

export function ConnectionStrip() {
  const { connection, session, announcer } = usePage();
  const state = connection.state.value;
  const wasLost = useRef(false);
  const hasNewVersion = useNewVersion();
  useEffect(() => {
    if (state.kind === "lost" && !wasLost.current) {
      wasLost.current = true;
      announcer.say(words.lost);
    } else if (state.kind === "live" && wasLost.current) {
      wasLost.current = false;
      announcer.say(words.back);
    }
  }, [state, announcer]);
  if (session.hasEnded.value) {
    return (
      <section class="strip" aria-label={words.ended}>
        <span class="strong">{words.ended}</span>
        <SignInForm isInPlace />
      </section>
    );
  }
  if (state.kind !== "lost") return hasNewVersion ? <NewVersion /> : null;
  return (
    <div class="strip">
      <span>{fill(words.lostAt, { time: tellClockWithSeconds(state.since) })}</span>
      <Button small onPress={connection.retry}>
        {words.tryNow}
      </Button>
    </div>
  );
}

const NewVersion = () => (
  <div class="strip" role="status">
    <span>{words.newVersion}</span>
    <Button small onPress={() => window.location.reload()}>
      {words.reload}
    </Button>
  </div>
);
