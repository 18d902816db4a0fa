// npm's registry as a place to browse: its search, among packages with the keyword mcp; where a registry has no search, as mirrors have
// none, the few names that such a server would have. What is found is run by npx in the version that was found.
import { lineOf, maxNameChars, maxVersionChars, repositoryOf, slugOf, tagsOf, type Listing } from "./listing.ts";
import { findCandidates, memberOf, type ReadSource } from "./source.ts";
import { SourceFailed, unexpected } from "./source-client.ts";
import { highestVersion } from "./versions.ts";

const namePattern = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const versionPattern = /^\d[0-9A-Za-z.+-]*$/;
/** Registries answer no further ones. */
const maxOffset = 10_000;
const noSearch: ReadonlySet<number> = new Set([400, 404, 405, 406, 501]);

const isNpmName = (name: string): boolean => name.length <= maxNameChars && namePattern.test(name);

const pathOf = (name: string): string => `/${name.replace("/", "%2F")}`;

/** Names that a server for these words may have. */
export function npmCandidates(query: string): string[] {
  const name = query.slice(0, maxNameChars).trim().toLowerCase();
  if (name === "") return [];
  if (/mcp|modelcontextprotocol/.test(name) && isNpmName(name)) return [name];
  const slug = slugOf(name);
  const guesses = [`@modelcontextprotocol/server-${slug}`, `mcp-server-${slug}`, `${slug}-mcp`];
  return slug === "" ? [] : guesses.filter(isNpmName);
}

/** A manifest, or what a search says of one. */
function readManifest(source: Listing["source"], manifest: unknown): Listing | undefined {
  const [name, version] = [memberOf(manifest, "name"), memberOf(manifest, "version")];
  if (typeof name !== "string" || !isNpmName(name)) return undefined;
  if (typeof version !== "string" || version.length > maxVersionChars || !versionPattern.test(version)) {
    return undefined;
  }
  const repository = memberOf(memberOf(manifest, "links"), "repository") ?? memberOf(manifest, "repository");
  const license = lineOf(memberOf(manifest, "license"), 100);
  return {
    source,
    name,
    version,
    description: lineOf(memberOf(manifest, "description")),
    repository: repositoryOf(repository),
    tags: tagsOf(memberOf(manifest, "keywords")),
    offers: [
      {
        ...{ runtime: "node", name, version, license: license === "" ? undefined : license },
        ...{ args: [], missingArgs: [], env: [], headers: [] },
      },
    ],
  };
}

export const createNpmSource: ReadSource = (source, client) => {
  const read = (manifest: unknown) => readManifest(source, manifest);
  const find = async (name: string, signal: AbortSignal): Promise<Listing | undefined> => {
    if (!isNpmName(name)) return undefined;
    const latest = await client.get(`${pathOf(name)}/latest`, signal);
    if (latest.status === 200) return readNamed(latest.value, name);
    if (!noSearch.has(latest.status)) throw unexpected(latest);
    // There are registries that know whole packages only.
    const whole = await client.get(pathOf(name), signal);
    if (whole.status === 404) return undefined;
    if (whole.status !== 200) throw unexpected(whole);
    const versions = memberOf(whole.value, "versions");
    const tagged = memberOf(memberOf(whole.value, "dist-tags"), "latest");
    const all = typeof versions === "object" && versions !== null ? Object.keys(versions) : [];
    const named = all.filter((version) => version.length <= maxVersionChars);
    const version = typeof tagged === "string" && named.includes(tagged) ? tagged : highestVersion(named);
    return version === undefined ? undefined : readNamed(memberOf(versions, version), name);
  };
  const readNamed = (manifest: unknown, name: string): Listing => {
    const listing = read(manifest);
    if (listing?.name === name) return listing;
    throw new SourceFailed("expected the manifest of the package that was asked for, found something else");
  };

  return {
    ...source,
    find,
    async search(query, { size, at }, signal) {
      const from = at !== undefined && /^\d{1,5}$/.test(at) ? Math.min(Number(at), maxOffset) : 0;
      const text = encodeURIComponent(`${query} keywords:mcp`.trim());
      const answer = await client.get(`/-/v1/search?text=${text}&size=${size}&from=${from}`, signal);
      if (noSearch.has(answer.status)) {
        if (from > 0) return { listings: [], leftOut: 0 };
        const listings = await findCandidates(npmCandidates(query), find, signal);
        return { listings, leftOut: 0 };
      }
      if (answer.status !== 200) throw unexpected(answer);
      const objects = memberOf(answer.value, "objects");
      if (!Array.isArray(objects)) throw new SourceFailed("expected the answer of a search, found other JSON");
      const entries = objects.slice(0, size);
      const listings = entries.flatMap((entry) => read(memberOf(entry, "package")) ?? []);
      const total = memberOf(answer.value, "total");
      const next = from + objects.length;
      const goesOn = objects.length >= size && typeof total === "number" && next < Math.min(total, maxOffset);
      return { listings, leftOut: entries.length - listings.length, next: goesOn ? String(next) : undefined };
    },
    async probe(signal) {
      const answer = await client.get("/-/v1/search?text=keywords%3Amcp&size=1", signal);
      if (answer.status !== 200 && !noSearch.has(answer.status)) throw unexpected(answer);
    },
  };
};
