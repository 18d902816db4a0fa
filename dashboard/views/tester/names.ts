// What of a server can be tried, under names that stand in the address: tools, resources and their templates, and prompts. Pure.
import type { Offered, TriedPrompt, TriedResource, TriedTemplate, TriedTool } from "../../data/tester.ts";

export const triedKinds = ["tools", "resources", "prompts"] as const;
export type TriedKind = (typeof triedKinds)[number];
export type PaneKind = TriedKind | "server";

export const readPaneKind = (text: string | undefined): PaneKind =>
  text === "server" ? "server" : (triedKinds.find((kind) => kind === text) ?? "tools");

export type Tried =
  | { readonly kind: "tools"; readonly name: string; readonly label: string; readonly tool: TriedTool }
  | { readonly kind: "resources"; readonly name: string; readonly label: string; readonly resource: TriedResource }
  | { readonly kind: "resources"; readonly name: string; readonly label: string; readonly template: TriedTemplate }
  | { readonly kind: "prompts"; readonly name: string; readonly label: string; readonly prompt: TriedPrompt };

/** Resources go by their address, since names need not be unique. */
export function listTried(offered: Offered, kind: TriedKind): readonly Tried[] {
  switch (kind) {
    case "tools":
      return offered.tools.map((tool) => ({ kind, name: tool.name, label: tool.name, tool }));
    case "resources":
      return [
        ...offered.resources.map((resource) => ({ kind, name: resource.uri, label: resource.uri, resource })),
        ...offered.templates.map((template) => ({
          kind,
          name: template.uriTemplate,
          label: template.uriTemplate,
          template,
        })),
      ];
    case "prompts":
      return offered.prompts.map((prompt) => ({ kind, name: prompt.name, label: prompt.name, prompt }));
  }
}

/** Those whose name, title or description has the text. */
export function filterTried(all: readonly Tried[], query: string): readonly Tried[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return all;
  return all.filter((tried) => searchable(tried).some((text) => text?.toLowerCase().includes(wanted)));
}

function searchable(tried: Tried): readonly (string | undefined)[] {
  if (tried.kind === "tools") return [tried.name, tried.tool.title, tried.tool.description];
  if (tried.kind === "prompts") return [tried.name, tried.prompt.title, tried.prompt.description];
  const { name, title, description } = "resource" in tried ? tried.resource : tried.template;
  return [tried.name, name, title, description];
}

/** Of a prompt's arguments and a template's variables, which are texts: the form of a tool is used for them too. */
export function schemaOfTexts(
  fields: readonly { name: string; description?: string | undefined; required?: boolean | undefined }[],
): object {
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map(({ name, description }) => [
        name,
        { type: "string", ...(description !== undefined && { description }) },
      ]),
    ),
    required: fields.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}
