// Text that others wrote, made safe to show: a terminal obeys control sequences, so that an answer of a model, a tool's
// error or a title from a catalogue could move the cursor, set the clipboard or hide what it says. Node's own
// stripVTControlCharacters is not used: it takes time squared in the length of what others chose.

/**
 * Control sequences with what they say: strings up to their end (titles, links, the clipboard), those with parameters
 * (cursor, colours), and short ones. No string runs over the beginning of another, so that each is looked through once.
 */
const sequence =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-OQ-WYZ\\`-~]/g;
/** Control characters except line break and tab, and marks that turn the direction of writing round. */
const unsafe = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** The text without anything a terminal would act upon but line breaks and tabs; of rare sequences a harmless rest stays. */
export const plainText = (text: string): string =>
  text.replaceAll(sequence, "").replaceAll("\r\n", "\n").replaceAll(unsafe, "");

/** The same on one line. */
export const plainLine = (text: string): string => plainText(text).replaceAll(/\s+/g, " ").trim();

/** A JSON line for scripts that a terminal does not act upon either: what is unsafe in it is escaped. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll(unsafe, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
