// The settings' sections of providers, and the models that are named → the instance's providers. A provider is written
// when the project has settings for it or a model of it.
import type { InstanceSpec } from "../../crds/instance.ts";
import { isBuiltIn } from "../../plan/models.ts";
import { emptyMap, type Draft } from "./field.ts";
import { importHeaders } from "./headers.ts";
import { leftOutOfProviders } from "./left-out.ts";
import { MapReader, type Placed } from "./map-reader.ts";
import { aliasesOf } from "./model-aliases.ts";
import { resolveModelName, type NamedModel } from "./model-name.ts";
import { toVariableName } from "./names.ts";
import type { Notes } from "./notes.ts";
import { importUrl, placeholder } from "./plain-url.ts";
import type { SecretKeys } from "./secret-keys.ts";
import type { Variables } from "./variables.ts";
import { findVendor, vendorNames, type Vendor } from "./vendors.ts";

type ProviderSpec = Draft<NonNullable<InstanceSpec["providers"]>[number]>;

export interface ProviderSurroundings {
  /** Short names that the project gives to models. */
  references: ReadonlyMap<string, string>;
  variables: Variables;
  secrets: SecretKeys;
}

/** Resolves models, and keeps the providers that they need. */
export class Providers {
  readonly #specs = new Map<string, ProviderSpec>();
  readonly #around: ProviderSurroundings;

  constructor(settings: MapReader, around: ProviderSurroundings) {
    this.#around = around;
    for (const name of settings.keys.filter((key) => vendorNames.includes(key))) {
      const section = settings.map(name);
      const vendor = findVendor(name);
      if (vendor !== undefined) this.#specs.set(name, importProvider(name, vendor, section, around));
      else section.notes.warn(section.place, `${name}: not carried over: Pallas has no provider of this kind`);
    }
  }

  get all(): ProviderSpec[] {
    return [...this.#specs.values()];
  }

  /** The model that a name stands for; what cannot be resolved is reported, with the cure. */
  resolve({ value, place }: Placed<string>, path: string, notes: Notes): NamedModel | undefined {
    const { variables, references } = this.#around;
    const name = value.replaceAll(
      placeholder,
      (written, variable: string, fallback?: string) => variables.get(variable) ?? fallback ?? written,
    );
    const model = resolveModelName(name, references);
    if (typeof model === "string") {
      // What a variable holds is shown only where it is the name of a model.
      const why = name === value ? model : "the variable in it names no model whose provider is known";
      notes.warn(place, `${path}: not carried over: ${why}; write the one that is meant as provider.model-name`);
      return undefined;
    }
    const { ref, provider, alias } = model;
    const vendor = findVendor(provider);
    if (vendor === undefined && !isBuiltIn(provider)) {
      notes.warn(place, `${path}: not carried over: Pallas has no provider "${provider}"; choose another model`);
      return undefined;
    }
    if (alias !== undefined) {
      notes.note(place, `${path}: "${alias}" is ${ref}, as in ${aliasesOf}; write another if one is meant`);
    }
    if (vendor !== undefined && !this.#specs.has(provider)) {
      const section = new MapReader(emptyMap(place), provider, notes);
      this.#specs.set(provider, importProvider(provider, vendor, section, this.#around));
      if (vendor.variable !== undefined) {
        notes.note(place, `the key of provider "${provider}" is expected in ${vendor.variable}`);
      }
    }
    return model;
  }
}

function importProvider(
  name: string,
  vendor: Vendor,
  reader: MapReader,
  { variables, secrets }: ProviderSurroundings,
): ProviderSpec {
  const { notes } = reader;
  const key = reader.secretText("api_key");
  const baseUrl = importUrl(reader, "base_url", variables) ?? vendor.baseUrl;
  const headers = importHeaders(reader, name, secrets, "default_headers");
  const region = reader.text("region")?.value;
  reader.finish(leftOutOfProviders);
  // What speaks OpenAI's protocol at another address knows chat completions, and seldom responses.
  const isElsewhere = name === "openai" && baseUrl !== undefined && new URL(baseUrl).hostname !== "api.openai.com";
  const kind = isElsewhere ? "openai-compatible" : vendor.kind;
  const variable = vendor.variable ?? toVariableName(name, "api_key");
  const isExpected = variables.names.has(variable) || (vendor.variable !== undefined && !isElsewhere);
  const known = key && secrets.referTo(key, name, variable, notes);
  return {
    name,
    kind: name === kind ? undefined : kind,
    baseUrl,
    region: kind === "bedrock" ? region : undefined,
    apiKey: known ?? (isExpected ? secrets.add(name, "", variable) : undefined),
    headers,
  };
}
