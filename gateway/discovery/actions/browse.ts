// `browse` of the registry tool: what the configured sources publish, as GET /api/browse answers it (DSC-7).
import * as z from "zod";
import { browseFor } from "../../rest/browse-route.ts";
import { defineAction, type RegistryAction } from "../action.ts";
import type { Browser } from "../browse/browser.ts";
import { parameters } from "../parameters.ts";

export const createBrowse = (browser: Browser): RegistryAction =>
  defineAction({
    name: "browse",
    summary: "servers that are published and not installed here.",
    role: "viewer",
    args: z.object({
      query: parameters.query.exactOptional(),
      limit: parameters.limit.exactOptional(),
      cursor: parameters.cursor.exactOptional(),
    }),
    run: (asked) => browseFor(browser, asked),
  });
