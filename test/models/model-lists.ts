// GET /v1/models and /v1/models/{id}, as Anthropic and OpenAI answer them.
import type { ScriptedReply } from "./script.ts";
import { renderVendorError, type Vendor } from "./vendor-errors.ts";

/** The reply to a path that is no model call. `models` holds facts by name. */
export function renderModelList(
  vendor: Vendor,
  path: string,
  models: Readonly<Record<string, object>>,
): Pick<ScriptedReply, "status" | "body"> {
  const { pathname, searchParams } = new URL(path, "http://mock");
  const all = Object.entries(models).map(([id, facts]) => renderModel(vendor, id, facts));
  if (pathname.endsWith("/models")) {
    if (vendor === "openai") return { status: 200, body: { object: "list", data: all } };
    const data = all.slice(0, Number(searchParams.get("limit") ?? 20));
    return { status: 200, body: { data, has_more: data.length < all.length } };
  }
  const id = decodeURIComponent(/\/models\/(.+)$/.exec(pathname)?.[1] ?? "");
  const facts = Object.hasOwn(models, id) ? models[id] : undefined;
  if (facts === undefined) return renderVendorError(vendor, "not_found");
  return { status: 200, body: renderModel(vendor, id, facts) };
}

const renderModel = (vendor: Vendor, id: string, facts: object) =>
  vendor === "anthropic"
    ? { type: "model", id, display_name: id, created_at: "2026-01-01T00:00:00Z", ...facts }
    : { id, object: "model", created: 1, owned_by: "mock", ...facts };
