// The settings' sections of providers, and the models that are named → the instance's providers. A provider is written
// when the project has settings for it or a model of it.
import type { InstanceSpec } from "../../crds/instance.ts";
import { isBuiltIn } from "../../plan/models.ts";
import type { Place } from "./field.ts";
import type { MapReader, Placed } from "./map-reader.ts";
import { aliasesOf } from "./model-aliases.ts";
import { resolveModelName, type NamedModel } from "./model-name.ts";
import { toVariableName } from "./names.ts";
import type { Notes } from "./notes.ts";
import { placeholder, readPlainUrl } from "./plain-url.ts";
import type { SecretKeys } from "./secret-keys.ts";
import { importHeaders } from "./servers.ts";
import type { Variables } from "./variables.ts";
import { findVendor, vendorNames, type Vendor } from "./vendors.ts";

export type ProviderSpec = NonNullable<InstanceSpec["providers"]>[number];

const unneeded: Readonly<Record<string, string>> = {
  default_model: "models are named whole",
  cache_mode: "caching is always on",
  cache_ttl: "caching is always on",
  cache_diagnostics: "there are metrics of cached tokens",
  transport: "Pallas chooses the transport",
  native_compaction: "spec.history says when conversations are condensed",
  structured_output_mode: "Pallas chooses how; set spec.output of the agents",
};
const unsupported: Readonly<Record<string, string>> = {
  reasoning: "set spec.request.effort of the agents",
  reasoning_effort: "set spec.request.effort of the agents",
  text_verbosity: "Pallas has no setting for it",
  service_tier: "Pallas has no setting for it",
  task_budget: "set spec.limits.totalTokens of the agents",
  web_search: "tools of a vendor are not used; add an MCP server that searches",
  web_fetch: "tools of a vendor are not used; add an MCP server that fetches",
  vertex_ai: "models on Vertex AI are not supported",
  profile: "AWS profiles are not read; give a key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  default_provider: "name the provider behind the model, as in model-name:provider",
};
const known = ["api_key", "base_url", "default_headers", "region"];

export interface ProviderSurroundings {
  variables: Variables;
  secrets: SecretKeys;
  notes: Notes;
}

/** Resolves models, and keeps the providers that they need. */
export class Providers {
  private readonly specs = new Map<string, ProviderSpec>();
  private readonly references: ReadonlyMap<string, string>;
  private readonly around: ProviderSurroundings;

  /** @param sections by provider @param references short names that the project gives to models */
  constructor(
    sections: ReadonlyMap<string, MapReader>,
    references: ReadonlyMap<string, string>,
    around: ProviderSurroundings,
  ) {
    this.references = references;
    this.around = around;
    for (const [name, section] of sections) {
      const vendor = findVendor(name);
      const { place } = section.field;
      if (vendor === undefined) {
        around.notes.warn(place, `${name}: not carried over: Pallas has no provider of this kind`);
      } else this.add(importProvider(name, vendor, section, around));
    }
  }

  get all(): ProviderSpec[] {
    return [...this.specs.values()];
  }

  /** The model that a name stands for; what cannot be resolved is said, with the cure. */
  resolve(found: Placed<string>, path: string, notes: Notes): NamedModel | undefined {
    const { get } = this.around.variables;
    const name = found.value.replaceAll(
      placeholder,
      (written, variable: string, fallback?: string) => get(variable) ?? fallback ?? written,
    );
    const model = resolveModelName(name, this.references);
    const { place } = found.field;
    if (typeof model === "string") {
      // What a variable holds is shown only where it is the name of a model.
      const why = name === found.value ? model : "the variable in it names no model whose provider is known";
      notes.warn(place, `${path}: not carried over: ${why}; write the one that is meant as provider.model-name`);
      return undefined;
    }
    const vendor = findVendor(model.provider);
    if (vendor === undefined && !isBuiltIn(model.provider)) {
      notes.warn(place, `${path}: not carried over: Pallas has no provider "${model.provider}"; choose another model`);
      return undefined;
    }
    if (model.alias !== undefined) {
      notes.note(place, `${path}: "${model.alias}" is ${model.ref}, as in ${aliasesOf}; write another if one is meant`);
    }
    if (vendor !== undefined && !this.specs.has(model.provider)) this.addUnconfigured(model.provider, vendor, place);
    return model;
  }

  /** A provider without settings has its key in the environment. */
  private addUnconfigured(name: string, vendor: Vendor, place: Place): void {
    const { secrets, notes } = this.around;
    if (vendor.variable !== undefined) {
      notes.note(place, `the key of provider "${name}" is expected in ${vendor.variable}`);
    }
    this.add({
      ...describe(name, vendor.kind),
      ...(vendor.baseUrl === undefined ? {} : { baseUrl: vendor.baseUrl }),
      ...(vendor.variable === undefined ? {} : { apiKey: secrets.add(name, "", vendor.variable) }),
    });
  }

  private add(spec: ProviderSpec): void {
    this.specs.set(spec.name, spec);
  }
}

const describe = (name: string, kind: Vendor["kind"]): Pick<ProviderSpec, "name" | "kind"> =>
  name === kind ? { name } : { name, kind };

function importProvider(
  name: string,
  vendor: Vendor,
  reader: MapReader,
  { variables, secrets, notes }: ProviderSurroundings,
): ProviderSpec {
  const key = reader.secretText("api_key");
  const baseUrl = importBaseUrl(reader, vendor, variables);
  const headers = importHeaders(reader, name, secrets, "default_headers");
  const region = reader.text("region");
  reader.leaveOut(unneeded, "note");
  reader.leaveOut(unsupported, "warn");
  reader.refuseRest([...known, ...Object.keys(unneeded), ...Object.keys(unsupported)]);
  // What speaks OpenAI's protocol at another address knows chat completions, and seldom responses.
  const isElsewhere = name === "openai" && baseUrl !== undefined && !isOpenAi(baseUrl);
  const kind = isElsewhere ? "openai-compatible" : vendor.kind;
  const variable = vendor.variable ?? toVariableName(name, "api_key");
  let apiKey = key && secrets.referTo(key, name, variable, notes);
  if (apiKey === undefined && (variables.names.has(variable) || (vendor.variable !== undefined && !isElsewhere))) {
    apiKey = secrets.add(name, "", variable);
  }
  return {
    ...describe(name, kind),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(region !== undefined && kind === "bedrock" ? { region: region.value } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(headers.length === 0 ? {} : { headers }),
  };
}

const isOpenAi = (url: string): boolean => new URL(url).hostname === "api.openai.com";

function importBaseUrl(reader: MapReader, vendor: Vendor, variables: Variables): string | undefined {
  const found = reader.secretText("base_url");
  if (found === undefined) return vendor.baseUrl;
  const read = readPlainUrl(found.value, variables);
  if (read.ok) return read.text;
  reader.notes.warn(found.field.place, `${reader.path("base_url")}: not carried over: ${read.message}`);
  return vendor.baseUrl;
}

/** The sections of the settings that belong to providers. */
export const providerSections = (settings: MapReader): Map<string, MapReader> =>
  new Map(settings.keys.filter((key) => vendorNames.includes(key)).map((key) => [key, settings.map(key)]));
