// What of tool servers, their tester, their REST and the directory meets text of others: servers and people write all of it.
import { createErrorLog } from "../../bridge/stdio/error-log.ts";
import { readOutput } from "../../bridge/stdio/server-process.ts";
import { toResourceName, toServerName, toVariableName } from "../../cli/import/names.ts";
import { kinds } from "../../crds/kinds.ts";
import { readCard } from "../../gateway/directory/card.ts";
import { parseDiscoverQuery } from "../../gateway/directory/discover.ts";
import { findMembers } from "../../gateway/directory/json-members.ts";
import { parseSubmittedAgent } from "../../gateway/directory/submission.ts";
import { parseCursor } from "../../gateway/discovery/browse/cursor.ts";
import { lineOf, repositoryOf, tagsOf } from "../../gateway/discovery/browse/listing.ts";
import { npmCandidates } from "../../gateway/discovery/browse/npm-source.ts";
import { findNpmRegistry } from "../../gateway/discovery/browse/npmrc.ts";
import { findPipIndex } from "../../gateway/discovery/browse/pip-conf.ts";
import { pypiCandidates } from "../../gateway/discovery/browse/pypi-source.ts";
import { readServerJson } from "../../gateway/discovery/browse/server-json.ts";
import { versionsOfHtml, versionsOfJson } from "../../gateway/discovery/browse/simple-index.ts";
import { serverNameFor } from "../../gateway/discovery/browse/to-install.ts";
import { compareVersions } from "../../gateway/discovery/browse/versions.ts";
import { parseCommand } from "../../gateway/rest/commands.ts";
import { suggestTools } from "../../gateway/rest/did-you-mean.ts";
import { readPage } from "../../gateway/rest/query.ts";
import { postBody, readBody, resourceNameOf } from "../../gateway/rest/server-body.ts";
import { redact } from "../../gateway/servers/redact.ts";
import { hashOfTool } from "../../gateway/servers/tool-hash.ts";
import { exportFormats, renderExport, toExported } from "../../gateway/tester/export.ts";
import { silentLog } from "../../lib/kube/testing/silent-log.ts";
import { systemClock } from "../../lib/process/clock.ts";
import { looksSecret } from "../../plan/secret-text.ts";
import { placesBelow, readSchema } from "../integration/schema-cases/schema-node.ts";
import type { Reader } from "./reader.ts";

const ignore = () => undefined;
/** A refusal is an answer too, and the next one is asked. */
const refusing = (read: () => unknown) => {
  try {
    read();
  } catch {
    // Expected.
  }
};
/** A server's output, in the pieces that a pipe hands over; some of its lines are longer than a message may be. */
const readServerOutput = (text: string) => {
  const bytes = Buffer.from(text);
  for (const maxMessageBytes of [1_000, 4 * 1024 * 1024]) {
    const reader = readOutput(
      { onMessage: ignore, onRefused: ignore, onEnd: ignore },
      { maxMessageBytes, counts: { onStray: ignore, onRead: ignore } },
    );
    for (let at = 0; at < bytes.length; at += 512) reader.push(bytes.subarray(at, at + 512));
    reader.end();
  }
};
const readErrorOutput = (text: string) => {
  const lines = createErrorLog({ log: silentLog(), clock: systemClock }).open(["aaaa1", "  "]);
  lines.push(Buffer.from(text));
  lines.end();
};
/** Every text of a registration, and of a card that somebody submits. */
const readRegistration = (text: string) => {
  const word = { name: text, description: text, tags: [text, text] };
  const endpoint = { name: text, transport: "Http", protocol: "A2A", livenessModel: "Persistent", address: text };
  refusing(() => parseSubmittedAgent({ ...word, tags: undefined, labels: { [text]: text }, capabilities: [word] }));
  refusing(() => parseSubmittedAgent({ name: "a", endpoints: [endpoint, { ...endpoint, transport: text }] }));
  const tools = [{ name: text, description: text }];
  const card = { serverInfo: { name: text, version: text }, endpoints: { streamableHttp: text }, tools };
  refusing(() => readCard(JSON.stringify(card)));
};
const readServerBody = (text: string) => {
  const body = { name: text, title: text, url: text, command: text, args: [text], tags: [text], env: { [text]: text } };
  for (const [field, value] of Object.entries(body)) {
    refusing(() => readBody(postBody, { name: "a", [field]: value, source: text }));
  }
  for (const command of ["npx", "uvx", "docker", text]) refusing(() => parseCommand({ command, args: ["run", text] }));
  refusing(() => readPage({ limit: text }));
  return resourceNameOf(text);
};
/** All that a place to browse says of a server, and what its address and credentials are read from. */
const readPublished = (text: string) => {
  const source = { name: "a", kind: "mcp-registry" } as const;
  const variables = [{ name: text, value: text, description: text, valueHint: text, isRequired: true }];
  const packages = ["npm", text].map((registryType) => ({
    ...{ registryType, identifier: text, version: text },
    ...{ environmentVariables: variables, packageArguments: variables },
  }));
  const remotes = [{ type: "sse", url: `https://${text}`, headers: variables }];
  const server = {
    name: "a/b",
    version: "1",
    title: text,
    description: text,
    repository: { url: text },
    packages,
    remotes,
  };
  for (const field of ["name", "version"]) readServerJson(source, { ...server, [field]: text }, {});
  readServerJson(source, server, {});
  return [
    ...[lineOf(text), repositoryOf(text), tagsOf([text]), serverNameFor(text), parseCursor(text)],
    ...[npmCandidates(text), pypiCandidates(text), compareVersions(text.slice(0, 64), text.slice(1, 65))],
    ...[versionsOfHtml(text), versionsOfJson({ versions: [text], files: [{ filename: text }] })],
    versionsOfJson({ files: [{ filename: `${text}.whl` }, { filename: `${text}.tar.gz` }] }),
  ];
};
const readConfiguration = (text: string) => [
  findNpmRegistry({ variables: { npm_config_registry: text }, project: "", own: [] }),
  findNpmRegistry({ variables: {}, project: text, own: [text] }),
  findPipIndex({ variables: {}, files: [text] }),
];
const exportServer = (text: string) => {
  const exported = toExported(text, {
    url: `https://a.example/${encodeURI(text)}`,
    headers: [{ name: text, value: text }],
    forwardInboundAuth: true,
  });
  return exportFormats.map((format) => renderExport(exported, format));
};
/** What the patterns of all resources say of a text, at whatever field it stands. */
const patterns = Object.values(kinds).flatMap(({ definition }) =>
  [...placesBelow(readSchema(definition), "")].flatMap(({ node: { pattern } }) =>
    pattern === undefined ? [] : [new RegExp(pattern, "u")],
  ),
);

export const toolServerReaders: readonly Reader[] = [
  { name: "what a tool server writes", read: readServerOutput, after: ["{", '{"id":', '{"id":"', "[", '"id":1,'] },
  { name: "what a tool server writes to standard error", read: readErrorOutput, after: ["aaaa"] },
  { name: "a registration and a card", read: readRegistration, after: ["https://", "a"] },
  { name: "a tool server's body over REST", read: readServerBody, after: ["https://", "@a/", "a==", "-e", "--from="] },
  {
    name: "what a place to browse publishes",
    read: readPublished,
    after: ["a", "1.", "1-", "{", "https://", "git+https://", "@a/", "<a>"],
  },
  {
    name: "what npm and pip are configured with",
    read: readConfiguration,
    after: ["https://", "registry=https://a/\n//a/:_authToken=", "[global]\nindex-url=", "a=", "[", "${"],
  },
  {
    name: "tools as they are pinned and suggested",
    read: (text) => [
      hashOfTool({ name: text, description: text, inputSchema: { type: "object", properties: { [text]: {} } } }),
      suggestTools(text, [{ name: text }, { name: "a" }]),
    ],
  },
  { name: "what the log of calls keeps", read: redact, after: ["[", '{"a":"', '["', '["{\\"'], before: ['"}', "]"] },
  { name: "a server in a client's configuration", read: exportServer },
  {
    name: "fields of resources",
    read: (text) => patterns.map((pattern) => pattern.test(text)),
    after: ["a", "1", "https://", "@a/", "a[", "a<1", "[a"],
  },
  { name: "what may be a secret", read: looksSecret, after: ["//", "?", "?key", "v1"], before: ["=", "@"] },
  {
    name: "names of a project's servers",
    read: (text) => [toResourceName(text), toServerName(text), toVariableName(text)],
    after: ["a", "_"],
  },
  {
    name: "a server card",
    // No JSON, which nobody hands it, is refused.
    read: (text) => refusing(() => findMembers(text)),
    after: ["{", '{"a":', '{"a":"', '{"a":[', '{"a":1,'],
    before: ["}", '"}', "]}"],
  },
  {
    name: "a query of the directory",
    read: (text) => {
      for (const field of ["tags", "capability", "protocol", "transport", "liveOnly", "page", "pageSize"]) {
        refusing(() => parseDiscoverQuery(new URLSearchParams({ [field]: text })));
      }
    },
  },
];
