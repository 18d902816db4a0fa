// What the page learns of its gateway before anybody signs in: `/ui/config.json`.
import * as z from "zod";

export const configSchema = z.object({
  version: z.string(),
  instance: z.string(),
  namespace: z.string(),
  /** Differs with every build of the page. */
  build: z.string().default(""),
  /** Of a run on this machine, whose links bring a token. */
  local: z.boolean().default(false),
  oidc: z
    .object({
      issuer: z.string(),
      clientId: z.string(),
      scopes: z.array(z.string()),
      /** Those that the gateway takes tokens for. */
      audiences: z.array(z.string()),
    })
    .optional(),
});
export type PageConfig = z.output<typeof configSchema>;
