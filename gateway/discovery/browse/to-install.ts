// From a published server to the body by which it is registered: which of its offers is taken, pinned to the version that was found, under
// which name, and what is left for whoever installs it to add. Values of secrets are in none of it. Pure.
import { maxNameChars, type Listing, type Offer, type Variable } from "./listing.ts";
import { commandOf } from "./render.ts";

/** What a published server does not bring, and it needs. */
export interface Needs {
  readonly env: readonly Variable[];
  readonly headers: readonly Variable[];
  readonly args: readonly string[];
}

export interface Installable {
  readonly body: {
    name: string;
    title?: string;
    description: string;
    tags?: string[];
    command?: string;
    args?: string[];
    url?: string;
    env?: Record<string, string>;
  };
  readonly offer: Offer;
  readonly needs: Needs;
}

/** What runs in a pod of its own before what is reached elsewhere; of an image nobody knows the program. */
const order = ["node", "python", "streamable-http", "docker", "sse"] as const;

/** What its server would be called: the end of the published name, as far as a name of a server can be that. */
export function serverNameFor(published: string): string {
  const last = published.slice(published.lastIndexOf("/") + 1);
  return last
    .slice(0, maxNameChars)
    .replaceAll(/[^a-zA-Z0-9_.-]+/g, "-")
    .replaceAll(/_{2,}/g, "_")
    .replace(/^[^a-zA-Z0-9]+/, "")
    .slice(0, 63);
}

export interface Wishes {
  /** In place of the name that it would have. */
  name?: string | undefined;
  description?: string | undefined;
  tags?: string[] | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  args?: readonly string[] | undefined;
}

/** A sentence where none of its offers can be installed. */
export function toInstallable(listing: Listing, wishes: Wishes): Installable | string {
  const offer = order.map((runtime) => listing.offers.find((each) => each.runtime === runtime)).find((each) => each);
  if (offer === undefined) return `"${listing.name}" is published in no form that npx, uvx, docker or a URL would run`;
  if (offer.runtime === "sse") {
    return `"${listing.name}" is reached by SSE alone, which left MCP with revision 2025-03-26; ask its publisher for a Streamable HTTP endpoint`;
  }
  if (offer.runtime === "docker") {
    return `"${listing.name}" is an image, and which program in it is the server is not published: install with command docker and args run -i --rm ${offer.name} PROGRAM`;
  }
  if (offer.runtime === "streamable-http" && /[{}]/.test(offer.name)) {
    return `"${listing.name}" is reached at a URL with parts to fill in: install with command ${offer.name}, filled in`;
  }
  const name = wishes.name ?? serverNameFor(listing.name);
  const fixed = offer.env.flatMap((each) => (each.value === undefined ? [] : [[each.name, each.value] as const]));
  const env = { ...Object.fromEntries(fixed), ...wishes.env };
  const command = commandOf(offer);
  const tags = wishes.tags ?? [...listing.tags];
  return {
    body: {
      name,
      ...(listing.title !== undefined && { title: listing.title }),
      description: wishes.description ?? listing.description,
      ...(tags.length > 0 && { tags }),
      ...(command === null
        ? { url: offer.name }
        : { command: command.command, args: [...command.args, ...(wishes.args ?? [])] }),
      ...(Object.keys(env).length > 0 && { env }),
    },
    offer,
    needs: {
      env: offer.env.filter((each) => each.isRequired && !Object.hasOwn(env, each.name)),
      headers: offer.headers.filter((each) => each.isRequired),
      args: wishes.args === undefined || wishes.args.length === 0 ? offer.missingArgs : [],
    },
  };
}
