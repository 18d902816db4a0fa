// Reads what servers answer as it is meant, before the SDK refuses all of a result or a list for one odd part: `null` for
// what is not there, and blocks of content that MCP does not know. It changes the answer in place and invents nothing.
import { isSpecType, type JSONRPCMessage } from "@modelcontextprotocol/client";
import { isJsonObject } from "./json-rpc.ts";

type JsonObject = Record<string, unknown>;
/** By the tool's name. */
export type OutputSchemas = Map<string, JsonObject>;

/** Mends `message` where it is the answer to a `method` that is known here. */
export function mendAnswer(method: string | undefined, message: JSONRPCMessage, outputSchemas: OutputSchemas): void {
  if (!("result" in message)) return;
  if (method === "tools/call") mendToolResult(message.result);
  if (method === "tools/list") mendToolList(message.result, outputSchemas);
}

/** A `tools/call` result in which a block that cannot be used is a line that says so, and loses nothing beside it. */
function mendToolResult(result: JsonObject): void {
  if (result["resultType"] === "input_required") return;
  dropNulls(result);
  const { content, structuredContent } = result;
  const blocks: unknown[] = Array.isArray(content) ? content : typeof content === "string" ? [content] : [];
  result["content"] = blocks.map(mendBlock);
  if (structuredContent === undefined || isJsonObject(structuredContent)) return;
  // Allowed in one era only; whoever reads the blocks has it either way.
  delete result["structuredContent"];
  if (blocks.length === 0) result["content"] = [renderText(JSON.stringify(structuredContent))];
}

/**
 * A `tools/list` result whose tools have an input schema, and whose output schemas are taken out of it: the SDK would
 * run their regular expressions, and drop results that do not fit.
 */
function mendToolList(result: JsonObject, outputSchemas: OutputSchemas): void {
  dropNulls(result);
  const tools: unknown[] = Array.isArray(result["tools"]) ? result["tools"] : [];
  for (const tool of tools.filter(isJsonObject)) {
    dropNulls(tool);
    if (isJsonObject(tool["annotations"])) dropNulls(tool["annotations"]);
    tool["inputSchema"] ??= {};
    if (isJsonObject(tool["inputSchema"])) {
      dropNulls(tool["inputSchema"]);
      tool["inputSchema"]["type"] ??= "object";
    }
    const { name, outputSchema } = tool;
    delete tool["outputSchema"];
    if (typeof name !== "string") continue;
    if (isJsonObject(outputSchema)) outputSchemas.set(name, outputSchema);
    else outputSchemas.delete(name);
  }
}

function mendBlock(block: unknown): unknown {
  if (typeof block === "string") return renderText(block);
  if (!isJsonObject(block)) return renderLeftOut("nothing");
  dropNulls(block);
  if (isJsonObject(block["resource"])) dropNulls(block["resource"]);
  if (isSpecType.ContentBlock(block)) return block;
  const { annotations: _annotations, _meta, ...bare } = block;
  return isSpecType.ContentBlock(bare) ? bare : renderLeftOut(String(block["type"]));
}

function dropNulls(value: JsonObject): void {
  for (const [key, held] of Object.entries(value)) {
    if (held === null) delete value[key];
  }
}

const renderText = (text: string) => ({ type: "text", text });
const renderLeftOut = (type: string) =>
  renderText(`[a part of the result left out: as "${type.slice(0, 40)}" it is nothing that MCP allows]`);
