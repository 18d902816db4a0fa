// Texts of a request: half a surrogate pair, and how many tokens it may be.
import { at, isObject, stringsOf, type Json } from "./json.ts";

const escapedSurrogate =
  /\\u[dD]([89abAB])[0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\u[dD][c-fC-F][0-9a-fA-F]{2}/g;

/** Index in the JSON text of half a surrogate pair, which no UTF-8 can hold. */
export function findLoneSurrogate(json: string): number | undefined {
  for (const match of json.matchAll(escapedSurrogate)) {
    const escaped = json.slice(0, match.index).match(/\\+$/)?.[0].length ?? 0;
    if (escaped % 2 === 0 && match[0].length === 6) return match.index;
  }
  return undefined;
}

const charsPerToken = 4;
const tokensPerImage = 1_000;
const isEncoded = (text: string, key: string | undefined) =>
  text.startsWith("data:") || ((key === "data" || key === "bytes") && text.length > 100);

/** A fixed measure: four characters are a token, an image a thousand. */
export function countInputTokens(body: Json): number {
  let chars = 0;
  let images = 0;
  for (const key of [
    "system",
    "instructions",
    "messages",
    "input",
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
  ]) {
    const value = at(body, key);
    if (typeof value === "string") {
      chars += value.length;
    } else if (isObject(value) || Array.isArray(value)) {
      for (const { path, text } of stringsOf(value)) {
        if (isEncoded(text, path.at(-1))) images += 1;
        else chars += text.length;
      }
    }
  }
  return Math.ceil(chars / charsPerToken) + images * tokensPerImage;
}
