// Which view is shown, with its filters and its selection, in the part of the address behind `#`: static files need no rewriting, a
// link can be sent, Back works. Never in it: tokens, arguments of calls, texts of conversations.
import { signal, type ReadonlySignal } from "@preact/signals";

export interface Route {
  /** `["agents", "clerk", "runs"]` of `#/agents/clerk/runs`, decoded. */
  readonly path: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

const maxChars = 2_000;

/** Anything that is no route is the first view's. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.slice(0, maxChars).replace(/^#\/?/, "").split("?", 2);
  return {
    path: path
      .split("/")
      .filter((part) => part !== "")
      .map(decode),
    query: new Map(new URLSearchParams(query)),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

type QueryValues = Readonly<Record<string, string | undefined>>;

/** A link to a view: `link(["agents", "clerk"], { q: "x" })`. Empty and undefined values are left out. */
export function link(path: readonly string[], query: QueryValues = {}): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value ? [[key, value]] : []));
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text === "" ? "" : `?${text}`}`;
}

/** A link to the same view with these values in place of those that it has. */
export const withQuery = ({ path, query }: Route, values: QueryValues): string =>
  link(path, { ...Object.fromEntries(query), ...values });

export interface Router {
  readonly route: ReadonlySignal<Route>;
  /** To another view; Back comes here again. */
  go(href: string): void;
  /** Filters and selection of this view, in place of those in the address. Undefined takes one out. */
  setQuery(values: QueryValues): void;
  stop(): void;
}

export function createRouter(
  window: Pick<Window, "location" | "history" | "addEventListener" | "removeEventListener">,
): Router {
  const route = signal(parseRoute(window.location.hash));
  const read = () => (route.value = parseRoute(window.location.hash));
  window.addEventListener("hashchange", read);
  return {
    route,
    go(href) {
      window.location.hash = href;
    },
    setQuery(values) {
      window.history.replaceState(window.history.state, "", withQuery(route.peek(), values));
      read();
    },
    stop: () => window.removeEventListener("hashchange", read),
  };
}
