// The actions of the registry tool that have to do with what is published elsewhere (DSC-1, DSC-7).
import type { ServerWrites } from "../../rest/server-writes.ts";
import type { ToolServers } from "../../servers/tool-servers.ts";
import type { RegistryAction } from "../action.ts";
import type { Browser } from "../browse/browser.ts";
import { createBrowse } from "./browse.ts";
import { createInstall } from "./install.ts";
import { createSync } from "./sync.ts";

export interface PublishedParts {
  browser: Browser;
  servers: Pick<ToolServers, "find" | "list">;
  serverWrites: Pick<ServerWrites, "create">;
}

export const createPublishedActions = (parts: PublishedParts): RegistryAction[] => [
  createBrowse(parts.browser),
  createInstall(parts),
  createSync(parts),
];
