// `install` of the registry tool (DSC-1): a server by its command or URL, as POST /api/servers registers one, or one that a source
// publishes, by its name there: in the version that was found, started by nobody yet. It judges and writes nothing by itself.
import * as z from "zod";
import type { Identity } from "../../../lib/auth/roles.ts";
import { defined } from "../../../lib/process/defined.ts";
import { ToolRefused } from "../../management/tools/tool.ts";
import { browseCure } from "../../rest/browse-route.ts";
import { postBody, readBody } from "../../rest/server-body.ts";
import { renderServer } from "../../rest/server-view.ts";
import type { ServerWrites } from "../../rest/server-writes.ts";
import type { ToolServers } from "../../servers/tool-servers.ts";
import { defineAction, type RegistryAction } from "../action.ts";
import type { Browser } from "../browse/browser.ts";
import { BrowserBusy } from "../browse/source-pool.ts";
import { renderVariable } from "../browse/render.ts";
import { toInstallable, type Installable } from "../browse/to-install.ts";
import { parameters } from "../parameters.ts";

export interface InstallParts {
  browser: Browser;
  servers: Pick<ToolServers, "find">;
  serverWrites: Pick<ServerWrites, "create">;
}

const args = z.object({
  name: parameters.name,
  source: parameters.source.exactOptional(),
  server: parameters.server.exactOptional(),
  command: parameters.command.exactOptional(),
  args: parameters.args.exactOptional(),
  env: parameters.env.exactOptional(),
  description: parameters.description.exactOptional(),
  tags: parameters.tags.exactOptional(),
});
type Asked = z.output<typeof args>;

export const createInstall = (parts: InstallParts): RegistryAction =>
  defineAction({
    name: "install",
    summary: "registers one, by name and source or by command.",
    role: "admin",
    args,
    async run(asked, { identity }) {
      if (asked.command !== undefined) {
        const name = await parts.serverWrites.create(readBody(postBody, manualBody(asked, asked.command)), identity);
        return { server: known(parts, name, identity) };
      }
      const { found, source } = await findPublished(parts, asked);
      const name = await parts.serverWrites.create(readBody(postBody, { ...found.body }), identity);
      return { server: known(parts, name, identity), source, ...renderNeeds(name, found) };
    },
  });

/** A URL in place of a command is where a server is reached. */
function manualBody({ name, args, env, description, tags }: Asked, command: string) {
  const program = /^https?:\/\//.test(command) ? { url: command } : { command, ...defined({ args }) };
  return { name, ...program, ...defined({ env, description, tags }) };
}

async function findPublished({ browser }: InstallParts, asked: Asked): Promise<{ found: Installable; source: string }> {
  const { name, source, server, ...wishes } = asked;
  if (source === undefined) {
    throw new ToolRefused(
      "invalid",
      "install: give a source, as browse names it, to install what it publishes as this name; or a command with its args",
    );
  }
  if (!(await browser.hasSources())) throw new ToolRefused("invalid", `install: ${browseCure}`);
  const { listing, reports } = await lookUp(browser, name, source);
  if (listing === undefined) {
    const failed = reports.filter(({ problem }) => problem !== undefined);
    if (reports.length === 0) {
      throw new ToolRefused("not_found", `install: there is no source "${source}": browse names those that there are`);
    }
    if (failed.length > 0) {
      const why = failed.map(({ source: each, problem }) => `${each.name}: ${problem}`).join("; ");
      throw new ToolRefused("unready", `install: nobody knows whether "${name}" is there (${why}): try again later`);
    }
    throw new ToolRefused("not_found", `install: ${source} publishes no server "${name}": look for it with browse`);
  }
  const found = toInstallable(listing, { ...wishes, name: server });
  if (typeof found === "string") throw new ToolRefused("invalid", `install: ${found}`);
  return { found, source: listing.source.name };
}

async function lookUp(browser: Browser, name: string, source: string) {
  try {
    return await browser.find(name, source);
  } catch (error) {
    if (error instanceof BrowserBusy) throw new ToolRefused("busy", `install: ${error.message}`, { cause: error });
    throw error;
  }
}

/** What was written is known by now, unless the watch is broken. */
function known({ servers }: InstallParts, name: string, identity: Identity) {
  const server = servers.find(name, identity);
  if (server === undefined) {
    throw new ToolRefused("unready", `server "${name}" was written, and is not seen yet: look in a moment`);
  }
  return renderServer(server);
}

function renderNeeds(server: string, { needs }: Installable) {
  const { env, headers, args: missingArgs } = needs;
  const missing = [
    ...env.map(({ name, isSecret }) => `${isSecret ? "the secret" : "the variable"} ${name} in spec.env`),
    ...headers.map(({ name }) => `the header ${name} in spec.remote.headers`),
    ...missingArgs.map((each) => `the argument ${each} in spec.package.args`),
  ];
  const isAnySecret = [...env, ...headers].some(({ isSecret }) => isSecret);
  const how = isAnySecret ? ", each secret by valueFrom.secretKeyRef from a Secret of the namespace" : "";
  const next = `activate it: {"action":"activate","name":${JSON.stringify(server)}}`;
  return {
    ...(missing.length > 0 && {
      needs: {
        ...(env.length > 0 && { env: env.map(renderVariable) }),
        ...(headers.length > 0 && { headers: headers.map(renderVariable) }),
        ...(missingArgs.length > 0 && { args: missingArgs }),
      },
    }),
    next_step:
      missing.length === 0 ? next : `add ${missing.join(", ")} of PallasServer "${server}"${how}; then ${next}`,
  };
}
