// PyPI, or an index like it, as a place to browse. It has no search: a few names that such a server would have are looked up by its JSON
// API, or by the simple API where an index has no other. What is found is run by uvx in the version that was found.
import { lineOf, maxNameChars, repositoryOf, slugOf, tagsOf, type Listing } from "./listing.ts";
import { isPypiVersion, versionsOfHtml, versionsOfJson } from "./simple-index.ts";
import { findCandidates, memberOf, type ReadSource } from "./source.ts";
import { SourceFailed, unexpected } from "./source-client.ts";
import { highestVersion } from "./versions.ts";

const namePattern = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i;
const simpleTypes = "application/vnd.pypi.simple.v1+json, text/html;q=0.5";

const isPypiName = (name: string): boolean => name.length <= maxNameChars && namePattern.test(name);

/** As indexes compare names (PEP 503). */
const normalized = (name: string): string => name.toLowerCase().replaceAll(/[._-]+/g, "-");

/** Names that a server for these words may have. */
export function pypiCandidates(query: string): string[] {
  const name = normalized(query.slice(0, maxNameChars).trim());
  if (name === "") return [];
  if (name.includes("mcp") && isPypiName(name)) return [name];
  const slug = slugOf(name);
  return slug === "" ? [] : [`mcp-server-${slug}`, `${slug}-mcp`, `mcp-${slug}`].filter(isPypiName);
}

/** A base URL that ends in /simple is pip's index-url: its JSON API is beside it. */
const pathsOf = (isSimple: boolean) =>
  isSimple ? { json: "/../pypi", simple: "" } : { json: "/pypi", simple: "/simple" };

export const createPypiSource: ReadSource = (source, client) => {
  const paths = pathsOf(client.folder.endsWith("/simple"));
  const listingOf = (name: string, version: string, info: unknown): Listing => {
    const urls = memberOf(info, "project_urls");
    const repository = memberOf(urls, "Repository") ?? memberOf(urls, "Source") ?? memberOf(urls, "Homepage");
    const license = lineOf(memberOf(info, "license_expression") ?? memberOf(info, "license"), 100);
    const keywords = memberOf(info, "keywords");
    return {
      source,
      name,
      version,
      description: lineOf(memberOf(info, "summary")),
      repository: repositoryOf(repository),
      tags: tagsOf(typeof keywords === "string" ? keywords.slice(0, 1_000).split(/[\s,]+/) : []),
      offers: [
        {
          ...{ runtime: "python", name, version, license: license === "" ? undefined : license },
          ...{ args: [], missingArgs: [], env: [], headers: [] },
        },
      ],
    };
  };

  const findInSimple = async (name: string, signal: AbortSignal): Promise<Listing | undefined> => {
    const options = { accept: simpleTypes, takesHtml: true } as const;
    const answer = await client.get(`${paths.simple}/${name}/`, signal, options);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw unexpected(answer);
    const versions = answer.text === undefined ? versionsOfJson(answer.value) : versionsOfHtml(answer.text);
    const version = highestVersion(versions);
    return version === undefined ? undefined : listingOf(name, version, {});
  };
  const find = async (asked: string, signal: AbortSignal): Promise<Listing | undefined> => {
    if (!isPypiName(asked)) return undefined;
    const name = normalized(asked);
    const answer = await client.get(`${paths.json}/${name}/json`, signal);
    if (answer.status !== 200) {
      // Absent of it, or of this package: the simple API tells.
      if ([404, 405, 501].includes(answer.status)) return await findInSimple(name, signal);
      throw unexpected(answer);
    }
    const info = memberOf(answer.value, "info");
    const [found, version] = [memberOf(info, "name"), memberOf(info, "version")];
    if (typeof found !== "string" || normalized(found) !== name || !isPypiVersion(version)) {
      throw new SourceFailed("expected the package that was asked for, found something else");
    }
    return listingOf(name, version, info);
  };

  return {
    ...source,
    find,
    async search(query, { at }, signal) {
      if (at !== undefined) return { listings: [], leftOut: 0 };
      return { listings: await findCandidates(pypiCandidates(query), find, signal), leftOut: 0 };
    },
    async probe(signal) {
      const options = { accept: simpleTypes, takesHtml: true } as const;
      const answer = await client.get(`${paths.simple}/pip/`, signal, options);
      if (answer.status !== 200 && answer.status !== 404) throw unexpected(answer);
    },
  };
};
