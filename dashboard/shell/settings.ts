// The person's own settings, kept by their browser: theme, density, keys. Nothing of them is about agents, and nothing is secret.
import { effect, signal, type Signal } from "@preact/signals";
import * as z from "zod";

const settingsSchema = z.object({
  theme: z.enum(["system", "light", "dark"]).catch("system"),
  compact: z.boolean().catch(false),
  /** Whether single keys do anything. */
  keys: z.boolean().catch(true),
  /** Whether Enter sends a message, or only Ctrl Enter. */
  enterSends: z.boolean().catch(true),
  /** Whether the browser tells of calls that wait. */
  notify: z.boolean().catch(false),
});
export type SettingValues = z.output<typeof settingsSchema>;
export type Settings = { readonly [Name in keyof SettingValues]: Signal<SettingValues[Name]> };

const storageKey = "pallas.settings";

function readStored(storage: Pick<Storage, "getItem">): SettingValues {
  try {
    return settingsSchema.parse(JSON.parse(storage.getItem(storageKey) ?? "{}"));
  } catch {
    return settingsSchema.parse({});
  }
}

export function createSettings(storage: Pick<Storage, "getItem" | "setItem">): Settings {
  const stored = readStored(storage);
  const settings = {
    theme: signal(stored.theme),
    compact: signal(stored.compact),
    keys: signal(stored.keys),
    enterSends: signal(stored.enterSends),
    notify: signal(stored.notify),
  };
  effect(() => {
    const values: SettingValues = {
      theme: settings.theme.value,
      compact: settings.compact.value,
      keys: settings.keys.value,
      enterSends: settings.enterSends.value,
      notify: settings.notify.value,
    };
    storage.setItem(storageKey, JSON.stringify(values));
  });
  return settings;
}
