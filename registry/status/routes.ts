// GET / (the status page): made anew at most once a second, however often it is asked for. It may load and run nothing:
// its one style is allowed by its hash.
import { createHash } from "node:crypto";
import { Hono } from "hono";
import type { CatalogueEntry } from "../../crds/catalogue.ts";
import { systemClock, type Clock } from "../../lib/process/clock.ts";
import type { Listing } from "../catalogue/listing.ts";
import { keepFor } from "../keep-for.ts";
import { resourceKey, type ResourceSource } from "../source/source.ts";
import type { Surface } from "../surface.ts";
import { renderStatusPage } from "./page.ts";
import { style } from "./style.ts";

const keptMs = 1_000;

const headers = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

export interface StatusSurface extends Surface {
  update(listing: Listing): void;
}

export function statusSurface(
  source: Pick<ResourceSource, "state" | "instances" | "agents" | "servers">,
  clock: Clock = systemClock,
): StatusSurface {
  let entries = new Map<string, CatalogueEntry>();
  const render = () =>
    renderStatusPage({
      state: source.state(),
      instances: source.instances(),
      agents: source.agents(),
      servers: source.servers(),
      entryOf: (agent) => entries.get(resourceKey(agent)),
      now: clock.wallNow(),
    });
  const page = keepFor(keptMs, render, clock);
  const app = new Hono();
  app.get("/", (c) => c.body(page.get(), 200, headers));
  return {
    app,
    update({ servers }) {
      entries = new Map(servers.map(({ agent, entry }) => [resourceKey(agent), entry]));
      page.forget();
    },
  };
}
