// What came of a request to a server that is tried: the result of a tool, a tool's own error, an error of the protocol, a time that was
// over, a policy's no, and a gateway that did not even ask are six different things. Read from the gateway's answer, and pure.
import type { RawAnswer } from "../../data/tester.ts";
import { parseJson, type Json } from "../../parts/schema-form/json-text.ts";

export type OutcomeKind =
  | "result"
  | "tool-error"
  | "protocol-error"
  | "timeout"
  | "denied"
  | "refused"
  | "unreachable"
  | "cancelled";

export interface Outcome {
  readonly kind: OutcomeKind;
  /** The sentence of whatever is no result. */
  readonly message: string;
  /** Of the JSON-RPC error. */
  readonly code: string | undefined;
  /** Of a result. */
  readonly parts: readonly ResultPart[];
  readonly structured: Json | undefined;
  /** As it came. */
  readonly text: string;
  readonly bytes: number;
}

export type ResultPart =
  | { readonly kind: "text"; readonly text: string; readonly about: string | undefined }
  | { readonly kind: "picture"; readonly mimeType: string; readonly data: string; readonly bytes: number }
  | { readonly kind: "sound"; readonly mimeType: string; readonly bytes: number }
  | { readonly kind: "link"; readonly uri: string; readonly name: string; readonly description: string | undefined }
  | { readonly kind: "blob"; readonly about: string; readonly mimeType: string; readonly bytes: number }
  | { readonly kind: "message"; readonly role: string; readonly part: ResultPart }
  | { readonly kind: "json"; readonly value: Json };

const none = { parts: [], structured: undefined, code: undefined } as const;

export function readOutcome(answer: RawAnswer): Outcome {
  if (answer.kind === "unanswered") {
    return { ...none, kind: answer.reason, message: answer.message, text: "", bytes: 0 };
  }
  const { status, text, bytes } = answer;
  const { value } = { value: undefined, ...parseJson(text) };
  const whole = { text, bytes };
  if (status >= 400) return { ...readRefused(status, value), ...whole };
  const isError = fieldOf(value, "isError");
  const kind = isError?.kind === "boolean" && isError.value ? "tool-error" : "result";
  return {
    ...none,
    ...whole,
    kind,
    message: "",
    parts: readParts(value),
    structured: fieldOf(value, "structuredContent"),
  };
}

const fieldOf = (value: Json | undefined, name: string): Json | undefined =>
  value?.kind === "object" ? value.fields.get(name) : undefined;

function textIn(value: Json | undefined, name: string): string | undefined {
  const field = fieldOf(value, name);
  return field?.kind === "string" || field?.kind === "number" ? field.text : undefined;
}

const itemsIn = (value: Json | undefined, name: string): readonly Json[] => {
  const field = fieldOf(value, name);
  return field?.kind === "array" ? field.items : [];
};

function readRefused(status: number, value: Json | undefined): Omit<Outcome, "text" | "bytes"> {
  const error = textIn(value, "error");
  const message = textIn(value, "message") ?? "";
  const code = textIn(value, "code");
  if (error === "policy_denied") return { ...none, kind: "denied", message };
  if (status === 504) return { ...none, kind: "timeout", message, code };
  const isUnreachable = error === "unreachable";
  if (status === 502) return { ...none, kind: isUnreachable ? "unreachable" : "protocol-error", message, code };
  return { ...none, kind: "refused", message };
}

/** Of a tool's result, of what was read, or of a prompt. */
function readParts(value: Json | undefined): readonly ResultPart[] {
  return [
    ...itemsIn(value, "content").map(readBlock),
    ...itemsIn(value, "contents").map(readContents),
    ...itemsIn(value, "messages").map((message): ResultPart => {
      const content = fieldOf(message, "content");
      const part = content === undefined ? undefined : readBlock(content);
      return { kind: "message", role: textIn(message, "role") ?? "", part: part ?? { kind: "json", value: message } };
    }),
  ];
}

function readBlock(block: Json): ResultPart {
  const mimeType = textIn(block, "mimeType") ?? "";
  const text = textIn(block, "text");
  const data = textIn(block, "data");
  switch (textIn(block, "type")) {
    case "text":
      if (text !== undefined) return { kind: "text", text, about: undefined };
      break;
    case "image":
      if (data !== undefined) return readPicture(mimeType, data) ?? readBlob("", mimeType, data);
      break;
    case "audio":
      if (data !== undefined) return { kind: "sound", mimeType, bytes: sizeOf(data) };
      break;
    case "resource":
      return readContents(fieldOf(block, "resource") ?? block);
    case "resource_link": {
      const uri = textIn(block, "uri") ?? "";
      return { kind: "link", uri, name: textIn(block, "name") ?? "", description: textIn(block, "description") };
    }
    default:
  }
  return { kind: "json", value: block };
}

function readContents(contents: Json): ResultPart {
  const uri = textIn(contents, "uri") ?? "";
  const mimeType = textIn(contents, "mimeType") ?? "";
  const text = textIn(contents, "text");
  const blob = textIn(contents, "blob");
  if (text !== undefined) return { kind: "text", text, about: mimeType === "" ? uri : `${uri}, ${mimeType}` };
  if (blob === undefined) return { kind: "json", value: contents };
  return readPicture(mimeType, blob) ?? readBlob(uri, mimeType, blob);
}

/** Those that a browser draws and that cannot run anything; an SVG is none of them. */
const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"];
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

function readPicture(mimeType: string, data: string): ResultPart | undefined {
  const dense = data.replace(/\s/g, "");
  if (!pictureTypes.includes(mimeType.toLowerCase()) || !base64.test(dense)) return undefined;
  return { kind: "picture", mimeType: mimeType.toLowerCase(), data: dense, bytes: sizeOf(dense) };
}

const readBlob = (about: string, mimeType: string, data: string): ResultPart => ({
  ...{ kind: "blob", about, mimeType },
  bytes: sizeOf(data),
});

/** Of base64. */
const sizeOf = (data: string): number => Math.floor((data.replace(/[\s=]/g, "").length * 3) / 4);

export const isFailure = ({ kind }: Outcome): boolean => kind !== "result";
