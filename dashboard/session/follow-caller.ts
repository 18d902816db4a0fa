// Who is signed in, as the gateway says it, for as long as there is a token; and what is forgotten when it is nobody, or somebody else.
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Connection } from "../connect/connection.ts";
import type { Resources } from "../connect/resources.ts";
import { callerResource, callerUri, type Caller } from "./caller.ts";
import type { Session } from "./session.ts";

export interface CallerParts {
  session: Pick<Session, "token" | "signIns">;
  connection: Pick<Connection, "open" | "close">;
  resources: Resources;
  /** What the page holds beside resources: talks, verdicts. */
  forget(): void;
}

export interface FollowedCaller {
  /** Undefined until the gateway has said it. */
  readonly caller: ReadonlySignal<Caller | undefined>;
  /** How often somebody took another person's place without a sign-out in between. */
  readonly people: ReadonlySignal<number>;
}

export function followCaller({ session, connection, resources, forget }: CallerParts): FollowedCaller {
  const caller = signal<Caller | undefined>(undefined);
  const people = signal(0);
  let subject: string | undefined;
  const forgetAll = () => {
    resources.clear();
    forget();
  };
  const learn = (told: Caller | undefined) => {
    caller.value = told;
    if (told === undefined) return;
    const isSomebodyElse = subject !== undefined && told.subject !== subject;
    subject = told.subject;
    if (!isSomebodyElse) return;
    // Signed in where somebody else's sign-in had ended: nothing of that person's is for them.
    forgetAll();
    people.value += 1;
  };
  effect(() => {
    if (session.token.value === undefined) {
      connection.close();
      forgetAll();
      caller.value = undefined;
      subject = undefined;
      return undefined;
    }
    // Also where the same token is given again, which the gateway had refused meanwhile.
    void session.signIns.value;
    void people.value;
    connection.open();
    const { loaded, release } = resources.use(callerUri, callerResource);
    const stop = loaded.subscribe(({ data }) => learn(data));
    return () => {
      stop();
      release();
    };
  });
  return { caller, people };
}
