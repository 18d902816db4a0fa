// The suite's resources and completions, which agents do not offer: one answer for both eras.
const listed = [
  { uri: "test://static-text", name: "Static text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "Static binary", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "Watched resource", mimeType: "text/plain" },
];

export const listResources = () => ({ resources: listed });

export const listTemplates = () => ({
  resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "Template", mimeType: "application/json" }],
});

/** What is at `uri`; undefined when nothing is. */
export function readResource(uri: string) {
  const found = findContent(uri);
  return found === undefined ? undefined : { contents: [{ uri, ...found }] };
}

function findContent(uri: string) {
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
    case "test://watched-resource":
      return { mimeType: "text/plain", text: "Watched resource content" };
    default:
      return undefined;
  }
}

export const complete = (value: string) => {
  const values = ["paris", "park", "party"].filter((word) => word.startsWith(value));
  return { completion: { values, total: values.length, hasMore: false } };
};
