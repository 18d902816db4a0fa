// What of an agent's tools a run is shown: all but those of which the policy denies its caller every call, whatever the arguments.
// They are in no list and unknown by name (MGM-5). What holds when the run begins holds for it; each call is judged all the same.
import type { RunCaller, Hider, JudgedCall } from "../policy/types.ts";
import type { RegistryRoutes } from "./registry.ts";
import type { ToolRoute } from "./route.ts";

/** Whether a tool is there for the run. */
export type IsShown = (tool: Pick<JudgedCall, "server" | "tool"> & Partial<Pick<JudgedCall, "definition">>) => boolean;

/** @param hider undefined where nothing is hidden */
export function createIsShown(hider: Hider | undefined, { caller, role }: RunCaller): IsShown {
  if (hider === undefined) return () => true;
  return ({ server, tool, definition }) => !hider({ server, tool, caller, role, annotations: definition?.annotations });
}

/** Of a route to one tool, whose arguments do not say which it is. What is not judged is shown. */
export function isRouteShown(route: ToolRoute, isShown: IsShown): boolean {
  const judged = route.judged({});
  return judged === undefined || isShown(judged.call);
}

/** The registry's own tool stays: it stands for all that it finds, of which each is judged. */
export const showRegistry = (routes: RegistryRoutes, isShown: IsShown): RegistryRoutes => ({
  ...routes,
  listed: routes.listed.filter((route) => isRouteShown(route, isShown)),
  findCallable(name) {
    const found = routes.findCallable(name);
    return found !== undefined && isRouteShown(found, isShown) ? found : undefined;
  },
});
