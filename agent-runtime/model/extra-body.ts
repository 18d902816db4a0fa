// Fields of a request's body that the agent's author adds by request.extra, for what a provider has and Pallas does not know.
// What the loop itself says to the model is not theirs to change; plan/ refuses that, and so does this.
import { reservedExtraFields } from "../../crds/agent-settings.ts";
import { isRecord } from "./tool-schemas/schema.ts";

type Extra = Readonly<Record<string, unknown>>;

/** The body with the fields; objects are merged, all else is replaced. */
export function addToBody(text: string, extra: Extra | undefined): string {
  const fields = Object.entries(extra ?? {}).filter(([name]) => !isReserved(name));
  if (fields.length === 0) return text;
  const body: unknown = JSON.parse(text);
  return isRecord(body) ? JSON.stringify(merge(body, Object.fromEntries(fields))) : text;
}

const isReserved = (name: string) => reservedExtraFields.some((reserved) => reserved === name);

function merge(body: Extra, extra: Extra): Extra {
  const added = Object.entries(extra).map(([name, value]) => {
    const present = Object.hasOwn(body, name) ? body[name] : undefined;
    return [name, isRecord(present) && isRecord(value) ? merge(present, value) : value];
  });
  return { ...body, ...Object.fromEntries(added) };
}
