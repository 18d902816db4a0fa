// Ids of tool calls as the provider takes them that reads a history next, which another may have written. The same id always
// becomes the same, so that calls and their results stay together; what the model itself wrote goes back as it came.
import { createHash } from "node:crypto";

/** Chat completions of OpenAI take 40 characters, Anthropic no others than these. */
const commonForm = /^[a-zA-Z0-9_-]{1,40}$/;
const mistralForm = /^[a-zA-Z0-9]{9}$/;
const mistralLength = 9;
const hashLength = 24;

export type RenderCallId = (id: string) => string;

export interface CallIdRules {
  /** Exactly nine letters and digits. */
  nineCharacters: boolean;
  /** Written by the model that they go to. */
  own: ReadonlySet<string>;
}

export const isCommonCallId = (id: string): boolean => commonForm.test(id);

export function createCallIds({ nineCharacters, own }: CallIdRules): RenderCallId {
  return (id) => {
    if (nineCharacters) return mistralForm.test(id) ? id : digest(id).slice(0, mistralLength);
    return own.has(id) || isCommonCallId(id) ? id : `call_${digest(id).slice(0, hashLength)}`;
  };
}

/** Letters and digits only. */
const digest = (id: string) =>
  createHash("sha256")
    .update(id)
    .digest("base64")
    .replaceAll(/[^a-zA-Z0-9]/g, "");
