// The suite's resources, with the content that its scenarios prescribe. The watched one changes all the time.
import type { ResourceSource } from "../../lib/mcp/table.ts";

const watched = "test://watched-resource";
const changeIntervalMs = 200;

const listed = [
  { uri: "test://static-text", name: "Static text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "Static binary", mimeType: "image/png" },
  { uri: watched, name: "Watched resource", mimeType: "text/plain" },
];

export const fixtureResources: ResourceSource = {
  list: () => listed,
  templates: () => [{ uriTemplate: "test://template/{id}/data", name: "Template", mimeType: "application/json" }],
  mayRead: (uri) => findContent(uri) !== undefined,
  async read(uri) {
    const found = findContent(uri);
    return found === undefined ? undefined : [{ uri, ...found }];
  },
  changes(onChange) {
    const timer = setInterval(() => onChange({ uri: watched }), changeIntervalMs);
    return () => clearInterval(timer);
  },
};

type Content = { mimeType: string } & ({ text: string } | { blob: string });

function findContent(uri: string): Content | undefined {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    return {
      mimeType: "application/json",
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    };
  }
  switch (uri) {
    case "test://static-text":
      return { mimeType: "text/plain", text: "This is the content of the static text resource." };
    case "test://static-binary":
      return { mimeType: "image/png", blob: Buffer.from([137, 80, 78, 71]).toString("base64") };
    case watched:
      return { mimeType: "text/plain", text: "Watched resource content" };
    default:
      return undefined;
  }
}
