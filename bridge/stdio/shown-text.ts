// What a server says, fit to be shown in logs, health and errors: values of secrets that its process was given are replaced, and
// characters that do something to a terminal or to the order of the text are taken out.
const minSecretChars = 4;

/** @param isCut whether it is only the beginning of a text, at whose end a part of a secret may be */
export type ShowText = (text: string, isCut?: boolean) => string;

/** Replaces each value wherever it stands; a very short one would make the text unreadable and is no secret. */
export function createShowText(secrets: readonly string[]): ShowText {
  const parts = secrets.flatMap((secret) => [secret, ...secret.split("\n")]).map((part) => part.trim());
  const values = [...new Set(parts)]
    .filter((value) => value.length >= minSecretChars)
    .toSorted((a, b) => b.length - a.length);
  return (text, isCut = false) => {
    const whole = values.reduce((left, value) => left.replaceAll(value, "[redacted]"), text);
    const hidden = isCut ? `${values.reduce(withoutBeginning, whole.replace(/\uFFFD+$/, ""))}…` : whole;
    return hidden.replaceAll(/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, " ").trim();
  };
}

/** Without the value's own beginning at the text's end. */
function withoutBeginning(text: string, value: string): string {
  for (let chars = Math.min(text.length, value.length - 1); chars > 0; chars -= 1) {
    if (text.endsWith(value.slice(0, chars))) return text.slice(0, -chars);
  }
  return text;
}
