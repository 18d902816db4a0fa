// Puts spans around what an agent does, from outside: its tools as they are served, its model and its downstream calls.
import type { ToolEntry } from "../../lib/mcp/table.ts";
import type { Models } from "../model/models.ts";
import type { Dispatch } from "../tools/dispatch.ts";
import type { ToolRoute } from "../tools/route.ts";
import type { RunTrace, Span, Telemetry } from "./telemetry.ts";

/** Runs `work` and tells `span` how it ended. */
export async function traced<Seen, Result extends Seen>(
  span: Span<Seen>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    span.end(result);
    return result;
  } catch (error) {
    span.fail(error);
    throw error;
  }
}

/** The tool as served; what it does belongs to the span of its call. */
export const traceServedTool = (tool: ToolEntry, telemetry: Telemetry): ToolEntry => ({
  ...tool,
  call(args, context) {
    const span = telemetry.startCall({ ...context, tool: tool.name });
    return traced(span, () => tool.call(args, { ...context, meta: { ...context.meta, ...span.context } }));
  },
});

/** The model's turns as part of a run. */
export const traceTurns = (models: Pick<Models, "turn">, run: RunTrace): Pick<Models, "turn"> => ({
  turn: (request) => traced(run.startTurn(request), () => models.turn(request)),
});

/** The downstream calls as part of a run; a call that is never sent has no span. */
export const traceDispatch =
  (dispatch: Dispatch, run: RunTrace): Dispatch =>
  (context, toolbox, request) => {
    const withSpan = (route: ToolRoute): ToolRoute => ({
      ...route,
      call(args, options) {
        const span = run.startTool({ downstream: route.downstream, request });
        return traced(span, () => route.call(args, { ...options, trace: span.context }));
      },
    });
    const find = (name: string, args?: unknown) => {
      const route = toolbox.find(name, args);
      return route === undefined ? undefined : withSpan(route);
    };
    return dispatch(context, { ...toolbox, find }, request);
  };
