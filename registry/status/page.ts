// The status page's HTML: what runs, how it is, since when, and where the documents are. Plain HTML that needs no
// script; whatever comes from a resource is escaped by the template. Pure.
import { html, raw } from "hono/html";
import type { PallasAgent } from "../../crds/agent.ts";
import { officialMetaKey, runtimeMetaKey, type CatalogueEntry } from "../../crds/catalogue.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { PallasServer } from "../../crds/server.ts";
import { titleFromName } from "../../crds/names.ts";
import { modelOf } from "../../plan/models.ts";
import { instanceKeyOf, resourceKey, type SourceState } from "../source/source.ts";
import { style } from "./style.ts";

/** Beyond these a page would be long to make and to read; the catalogue has them all. */
export const shownAgents = 500;
export const shownInstances = 100;

// In one piece: the policy allows this style by a hash of exactly these characters.
const styleElement = raw(`<style>${style}</style>`);

const links = [
  [".well-known/mcp/server.json", "Catalogue (server.json)"],
  ["v0.1/servers", "MCP registry API"],
  [".well-known/ai-catalog.json", "AI catalogue"],
  ["healthz", "Health"],
  ["metrics", "Metrics"],
  ["openapi.json", "OpenAPI"],
] as const;

export interface StatusFacts {
  state: SourceState;
  instances: readonly PallasInstance[];
  agents: readonly PallasAgent[];
  /** The agent's entry in the catalogue; undefined where it is not listed. */
  entryOf: (agent: PallasAgent) => CatalogueEntry | undefined;
  servers: readonly PallasServer[];
  /** Milliseconds since 1970. */
  now: number;
}

export function renderStatusPage({ state, instances, agents, entryOf, servers, now }: StatusFacts): string {
  const toolServers = Map.groupBy(servers, instanceKeyOf);
  const teams = Map.groupBy(agents, instanceKeyOf);
  let room = shownAgents;
  const sections = instances.slice(0, shownInstances).map((instance) => {
    const team = teams.get(resourceKey(instance)) ?? [];
    const shown = team.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).slice(0, room);
    room -= shown.length;
    const serverCount = toolServers.get(resourceKey(instance))?.length ?? 0;
    return renderInstance(instance, { shown, count: team.length, serverCount }, entryOf);
  });
  const hidden = [
    ...renderHidden(agents.length - shownAgents, "agents"),
    ...renderHidden(instances.length - shownInstances, "instances"),
  ];
  return String(
    // oxlint-disable-next-line typescript/no-base-to-string -- it would be a promise only if one of the values were
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>Pallas registry</title>
          <link rel="icon" href="data:," />
          ${styleElement}
        </head>
        <body>
          <a class="skip" href="#agents">Skip to the agents</a>
          <header>
            <h1>Pallas registry</h1>
            <p>${renderState(state)}</p>
            <nav aria-label="Documents of this registry">
              <ul>
                ${links.map(([href, text]) => html`<li><a href="${href}">${text}</a></li>`)}
              </ul>
            </nav>
          </header>
          <main id="agents" tabindex="-1">
            ${sections.length === 0 ? html`<p>There is no instance yet.</p>` : sections} ${hidden}
          </main>
          <footer><p>As of ${renderTime(new Date(now).toISOString())}.</p></footer>
        </body>
      </html> `,
  );
}

function renderState({ phase, since }: SourceState) {
  const time = renderTime(new Date(since).toISOString());
  if (phase === "live") return html`<span class="ok">Up to date.</span>`;
  if (phase === "starting") return html`<span class="degraded">Starting: the resources are not read yet.</span>`;
  return html`<span class="degraded"
    >No connection to the API server since ${time}: this is what was last known.</span
  >`;
}

interface Team {
  shown: readonly PallasAgent[];
  count: number;
  /** PallasServers. */
  serverCount: number;
}

function renderInstance(instance: PallasInstance, team: Team, entryOf: StatusFacts["entryOf"]) {
  const { name, namespace } = instance.metadata;
  const { title = titleFromName(name), registryNamespace, version } = instance.spec;
  const id = `instance-${namespace}-${name}`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <p class="muted">Instance ${name} in ${namespace}, version ${version}, listed as ${registryNamespace}.</p>
    ${team.count === 0 ? html`<p>It has no agents yet.</p>` : renderTable(instance, team, entryOf, id)}
    ${team.serverCount === 0 ? "" : html`<p class="muted">Tool servers: ${team.serverCount}, in the MCP registry API.</p>`}
  </section> `;
}

function renderTable(instance: PallasInstance, team: Team, entryOf: StatusFacts["entryOf"], id: string) {
  const columns = ["Agent", "Model", "Health", "Since", "Ready pods", "Last change", "Address"];
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
    <table>
      <caption>
        Agents: ${team.count}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${team.shown.map((agent) => renderRow(agent, modelOf(agent, instance) ?? "none", entryOf(agent)))}
      </tbody>
    </table>
  </div>`;
}

const unlisted = { class: "error", word: "not listed", message: "It was not accepted, or another has its name." };

function renderRow(agent: PallasAgent, model: string, entry: CatalogueEntry | undefined) {
  const { name, creationTimestamp } = agent.metadata;
  const runtime = entry?._meta[runtimeMetaKey];
  const health = runtime?.health;
  const shown =
    entry === undefined
      ? unlisted
      : { class: health ?? "muted", word: health ?? "not known", message: runtime?.message };
  const changedAt =
    entry?._meta[officialMetaKey].updatedAt ?? agent.status?.specChangedAt ?? creationTimestamp ?? undefined;
  return html`<tr>
    <th scope="row">${entry?.server.title ?? titleFromName(name)}<br /><code>${name}</code></th>
    <td><code>${model}</code></td>
    <td>
      <span class="${shown.class}">${shown.word}</span
      >${shown.message === undefined ? "" : html`<br /><span class="muted">${shown.message}</span>`}
    </td>
    <td>${renderTime(runtime?.healthSince)}</td>
    <td>${runtime?.readyReplicas ?? 0}</td>
    <td>${renderTime(changedAt)}</td>
    <td><code>${entry?.server.remotes[0]?.url ?? "–"}</code></td>
  </tr> `;
}

function renderTime(time: string | undefined) {
  if (time === undefined) return "–";
  return html`<time datetime="${time}">${time.slice(0, 16).replace("T", " ")} UTC</time>`;
}

const renderHidden = (count: number, what: string) =>
  count <= 0 ? [] : [html`<p>${count} more ${what} are not shown here; the catalogue has them.</p>`];
