// What both bundles leave out of the packages they are made of: translations, validators that nobody calls, and code that
// makes code, which a page may not run. Each is a plugin of esbuild.
import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** zod's messages in English only: it would bring those of fifty languages, 300 kB that every program parses at its start. */
export const onlyEnglish: Plugin = {
  name: "only English",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/**
 * The SDKs of MCP without the validator each brings, 170 to 290 kB that nobody calls: lib/mcp and the page give them their
 * own. Whoever forgot that would hear of it with the first server or client.
 */
export const withoutValidators: Plugin = {
  name: "without the validators of the SDKs",
  setup({ onLoad }) {
    const renderAbsent = (name: string) =>
      `export class ${name} { constructor() { throw new Error("this SDK is built without a validator of its own; pass jsonSchemaValidator"); } }`;
    onLoad(
      { filter: /[\\/]@modelcontextprotocol[\\/]sdk[\\/]dist[\\/]esm[\\/]validation[\\/]ajv-provider\.js$/ },
      () => ({
        contents: renderAbsent("AjvJsonSchemaValidator"),
      }),
    );
    onLoad({ filter: /[\\/]@modelcontextprotocol[\\/](server|client)[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
      contents: [
        'export { default as process } from "node:process";',
        "export const CORS_IS_POSSIBLE = false;",
        renderAbsent("DefaultJsonSchemaValidator"),
      ].join("\n"),
    }));
    onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]client[\\/]dist[\\/]shimsBrowser\.mjs$/ }, () => ({
      contents: ["export const CORS_IS_POSSIBLE = true;", renderAbsent("DefaultJsonSchemaValidator")].join("\n"),
    }));
  },
};

/** Under the page's policy zod may not compile its schemas, and a browser would report that it tried. */
export const withoutEval: Plugin = {
  name: "zod without eval",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, "utf8")}\nglobalConfig.jitless = true;\n`,
    }));
  },
};
