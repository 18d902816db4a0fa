// Text that others wrote, made fit for people who decide by it (SEC): nothing in it moves a cursor, turns the direction of writing
// round or is invisible, and it has an end. Pure.

/** Control characters, marks that turn the direction of writing round, and those that nobody sees. */
const unsafe = /[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060\ufeff\u{e0000}-\u{e007f}]/gu;

/** On one line, of at most so many characters with the mark that there was more. */
export function shownLine(text: string, maxChars: number): string {
  const plain = text
    .slice(0, 4 * maxChars)
    .toWellFormed()
    .replaceAll(/[\t\n\r]+/g, " ")
    .replaceAll(unsafe, "")
    .trim();
  return plain.length <= maxChars ? plain : `${plain.slice(0, maxChars - 1).toWellFormed()}…`;
}
