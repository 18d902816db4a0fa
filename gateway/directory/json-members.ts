// Where the members of a JSON object stand in its text, so that a part of the text can be kept or replaced as it is: numbers that no
// program can hold, repeated keys, the order of keys and white space included. Whether the text is JSON at all was asked before.

/** Offsets into the text: of the value, without the white space around it. */
export interface JsonMember {
  /** Without its quotes, its escapes resolved. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** The members of the object that is the whole text, in their order. The text has been parsed and is an object. */
export function findMembers(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const key: unknown = JSON.parse(text.slice(at, keyEnd));
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    members.push({ key: String(key), start, end });
    // Behind the comma, or behind the end.
    at = skipSpace(text, skipSpace(text, end) + 1);
  }
  return members;
}

/** The text of a member's value as it stands there; of several with this key the last, which is the one that parsers read. */
export function findValueText(text: string, key: string): string | undefined {
  const member = findMembers(text).findLast((each) => each.key === key);
  return member && text.slice(member.start, member.end);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at += 1;
  return at;
}

/** Behind its closing quote. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (depth === 0 && " \t\r\n,]}".includes(character)) return at;
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    at += 1;
    if (depth === 0 && (character === "}" || character === "]")) return at;
  }
  return at;
}
