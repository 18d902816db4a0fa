// Fields made of the corpus. A field begins with its name and a first element, by which a test knows it again where it is shown as text, and
// goes on with as much of the corpus as it holds; several fields of a kind hold all of it between them.
import { executionMark } from "./watched-page.ts";
import { xssCorpus } from "./xss-corpus.ts";

const element = `<img src=x onerror=${executionMark}()>`;

/** How the text of a field begins, wherever it is shown. */
export const opening = (field: string): string => `${field}:${element}`;

/** Those that some fields take: on one line, and without characters that control. */
export const lineTexts: readonly string[] = xssCorpus.filter(
  (text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && text.trim() === text,
);

/** Fields of at most that many characters with all of the texts among them. */
export function fillFields(field: string, maxChars: number, texts: readonly string[] = xssCorpus): string[] {
  const separator = texts === lineTexts ? " " : "\n";
  const fields: string[] = [];
  let current = opening(field);
  for (const text of texts) {
    if (current.length + separator.length + text.length > maxChars) {
      fields.push(current);
      current = opening(field);
    }
    // One that is too long for the field by itself is in the larger ones.
    if (current.length + separator.length + text.length <= maxChars) current += separator + text;
  }
  return [...fields, current];
}

/** Whole, in one field without a limit. */
export const fillField = (field: string): string => [opening(field), ...xssCorpus].join("\n");
