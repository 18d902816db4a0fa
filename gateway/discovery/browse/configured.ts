// The browser of a gateway: of the sources that its instance names, or beside `pallas up`, where it names none, of those that npm's and
// pip's own configuration name. Elsewhere there are none.
import type { GatewayConfig } from "../../../crds/gateway-config.ts";
import type { Clock } from "../../../lib/process/clock.ts";
import type { Mode } from "../../../plan/rules.ts";
import { createBrowser, type Browser } from "./browser.ts";
import { readLocalSources, type LocalPlace } from "./local-sources.ts";

export interface ConfiguredBrowserParts {
  config: Pick<GatewayConfig, "browse">;
  mode: Mode;
  /** Read where the instance names no sources, in local mode alone. */
  place: LocalPlace;
  clock: Clock;
}

export function createConfiguredBrowser({ config, mode, place, clock }: ConfiguredBrowserParts): Browser {
  const { sources } = config.browse ?? {};
  const readSources = async () => sources ?? (mode === "local" ? await readLocalSources(place) : []);
  return createBrowser({ readSources, clock });
}
