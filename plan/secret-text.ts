// What may be a secret, by its place or by its looks. Only for deciding what is warned of and what a message leaves out;
// nothing is let through by it.

/** Fields in whose values nobody is shown what stands there. */
const secretFields: ReadonlySet<PropertyKey> = new Set([
  ...["apiKey", "headers", "stringData", "auth", "valueFrom", "secretKeyRef", "clientSecret"],
]);
export const isSecretPath = (path: readonly PropertyKey[]): boolean => path.some((part) => secretFields.has(part));

/** Names of headers and query parameters that carry keys. */
export const isSecretName = (name: string): boolean => /key|token|secret|passw|auth|sig|credential|cookie/i.test(name);

/** Long, and of letters and digits mixed: what people do not think up. */
export const looksRandom = (word: string): boolean =>
  word.length >= 20 && /\d/.test(word) && /[a-z]/i.test(word) && !/^v?\d[\d.-]*$/.test(word);

/** What of a URL seems to be a key, in words that show nothing of it. */
export function findSecretInUrl(url: URL): string | undefined {
  if (url.username !== "" || url.password !== "") return "the user in the URL";
  for (const [name, value] of url.searchParams) {
    if ((isSecretName(name) && value !== "") || looksRandom(value)) return "a parameter of the URL";
  }
  if (url.pathname.split("/").some(looksRandom)) return "a part of the URL's path";
  if (url.hash !== "" && looksRandom(url.hash.slice(1))) return "the end of the URL";
  return undefined;
}

/** `?api_key=` anywhere in a text. One pattern for it would look at a long run of `?` again from each of them. */
const hasSecretParameter = (text: string): boolean =>
  text
    .split("=")
    .slice(0, -1)
    .some((before) => {
      const word = before.split(/\s/).at(-1) ?? "";
      const start = word.includes("&") ? word.lastIndexOf("&") : word.indexOf("?");
      return start !== -1 && /key|token|secret|passw|auth|sig/i.test(word.slice(start));
    });

/** Whether a text that stands anywhere may hold a secret. */
export const looksSecret = (text: string): boolean =>
  /^(sk|pk|xox[a-z]|gh[a-z]|hf|glpat)[-_]/.test(text) ||
  /\/\/[^/@\s]*@/.test(text) ||
  hasSecretParameter(text) ||
  /^(Bearer|Basic|Token) \S/i.test(text) ||
  text.split(/[^\w-]+/).some(looksRandom);
