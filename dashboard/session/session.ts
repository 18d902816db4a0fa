// Who is signed in: a token in memory, in the tab's session storage only where the person wants it kept, or where the page belongs to
// a run on this machine. One that came in the address is taken out of it at once. It decides nothing: the gateway does.
import { batch, signal, type ReadonlySignal } from "@preact/signals";

export interface Session {
  readonly token: ReadonlySignal<string | undefined>;
  /** The gateway refused the token that was there: the person is asked again, and the page stays. */
  readonly hasEnded: ReadonlySignal<boolean>;
  /** How often somebody signed in here: a token that had ended may hold again. */
  readonly signIns: ReadonlySignal<number>;
  signIn(token: string, keep: boolean): void;
  signOut(): void;
  /** The gateway answered 401 to this token. */
  onRefused(token: string): void;
}

const storageKey = "pallas.token";
const fragmentToken = /^#token=([!-~]{1,8192})$/;

export interface SessionPlace {
  location: Pick<Location, "hash" | "pathname" | "search">;
  history: Pick<History, "replaceState">;
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
}

/** The token in the address, which is taken out of it. */
function takeFromAddress({ location, history }: SessionPlace): string | undefined {
  const [, token] = fragmentToken.exec(location.hash) ?? [];
  if (location.hash.startsWith("#token=")) history.replaceState(null, "", `${location.pathname}${location.search}#/`);
  return token === undefined ? undefined : decode(token);
}

/** Undefined where it is no text of an address. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** @param keepsAlways of a run on this machine, whose token ends with it */
export function createSession(place: SessionPlace, keepsAlways: () => boolean): Session {
  const { storage } = place;
  const given = takeFromAddress(place);
  const token = signal(given ?? storage.getItem(storageKey) ?? undefined);
  const hasEnded = signal(false);
  const signIns = signal(0);
  const store = (value: string | undefined) =>
    value === undefined ? storage.removeItem(storageKey) : storage.setItem(storageKey, value);
  if (given !== undefined && keepsAlways()) store(given);
  return {
    token,
    hasEnded,
    signIns,
    signIn(value, keep) {
      store(keep || keepsAlways() ? value : undefined);
      batch(() => {
        hasEnded.value = false;
        token.value = value;
        signIns.value = signIns.peek() + 1;
      });
    },
    signOut() {
      store(undefined);
      hasEnded.value = false;
      token.value = undefined;
    },
    onRefused(refused) {
      if (token.peek() !== refused) return;
      store(undefined);
      hasEnded.value = true;
    },
  };
}
