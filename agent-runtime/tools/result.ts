// What the model is shown of a tool's result: its text within a size (CFG-8), its images where the model can see.
// Everything else becomes a line that says what was left out.
import type { CallResult } from "../../lib/mcp/connect.ts";
import type { Content, ResourceLinkContent } from "../../lib/mcp/table.ts";
import { findImageProblem, type ImageLimits } from "../image-data.ts";
import type { ImageData } from "../model/types.ts";
import { readResourceName } from "./naming.ts";
import { headOf, tailOf } from "../utf8-cut.ts";

const maxImages = 16;
const maxLinkDescriptionChars = 300;

export interface ShownResult {
  text: string;
  images: ImageData[];
}

export interface ShownLimits {
  /** Of the text, notice included, as UTF-8. */
  maxBytes: number;
  /** Whether the model can see. */
  vision: boolean;
  /** What its provider refuses of images, where that is known. */
  imageLimits: ImageLimits | undefined;
  /** The server of the result, where the model can read its resources. */
  readableFrom?: string;
}

/** Cuts and sorts a result for a model. */
export function renderToolResult(result: CallResult, options: ShownLimits): ShownResult {
  const images: ImageData[] = [];
  const lines: string[] = [];
  for (const content of result.content) {
    const image = findImage(content);
    const refusal = image && findImageRefusal(image, images.length, options);
    if (image === undefined) lines.push(renderContent(content, options.readableFrom));
    else if (refusal === undefined) images.push(image);
    else lines.push(`[image left out: ${refusal}]`);
  }
  if (result.content.length === 0 && result.structuredContent !== undefined) {
    lines.push(JSON.stringify(result.structuredContent));
  }
  if (result.schemaProblem !== undefined) {
    lines.push(`[note: this is not what the tool's output schema promises: ${result.schemaProblem}]`);
  }
  return { text: cutMiddle(lines.join("\n"), options.maxBytes), images };
}

function findImageRefusal(image: ImageData, count: number, { vision, imageLimits }: ShownLimits): string | undefined {
  if (!vision) return "the model is declared without vision";
  if (count >= maxImages) return `one result may hold ${maxImages} images`;
  const problem = findImageProblem(image, imageLimits);
  return problem && `it ${problem}`;
}

/** The image that a part of a result is, embedded files included. */
function findImage(content: Content): ImageData | undefined {
  if (content.type === "image") return { data: content.data, mimeType: content.mimeType };
  if (content.type !== "resource" || !("blob" in content.resource)) return undefined;
  const { blob, mimeType } = content.resource;
  return mimeType?.startsWith("image/") === true ? { data: blob, mimeType } : undefined;
}

function renderContent(content: Content, readableFrom: string | undefined): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "audio":
      return `[audio of type ${content.mimeType} left out: audio is not supported]`;
    case "resource_link":
      return renderLink(content, readableFrom);
    case "resource":
      return "text" in content.resource
        ? content.resource.text
        : `[binary resource ${content.resource.uri} left out: the model cannot read it]`;
    default:
      return "[content of an unknown type left out]";
  }
}

/** Never followed by itself: what is read is the model's choice. */
function renderLink({ name, uri, mimeType, description }: ResourceLinkContent, readableFrom: string | undefined) {
  const type = mimeType === undefined ? "" : ` (${mimeType})`;
  const said = description === undefined ? "" : `, ${description.slice(0, maxLinkDescriptionChars)}`;
  const way = readableFrom === undefined ? "" : `; to read it call ${readResourceName} with server "${readableFrom}"`;
  return `[resource ${name}${type}: ${uri}${said}${way}]`;
}

/** Keeps the head and the tail of a text over the limit, with a notice between them. */
function cutMiddle(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  const notice = `\n[… cut: ${bytes.length} bytes, limits.toolResultBytes is ${maxBytes} …]\n`;
  const kept = Math.max(0, maxBytes - Buffer.byteLength(notice));
  return `${headOf(bytes, Math.ceil(kept / 2))}${notice}${tailOf(bytes, Math.floor(kept / 2))}`;
}
