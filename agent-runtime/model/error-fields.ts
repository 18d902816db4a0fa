// What a provider's answer says of a problem, in whatever shape its vendor writes problems: words, codes, and how long to wait. Only
// reads, and judges nothing: which kind of problem it is, errors.ts says.

const maxDepth = 5;

export interface ErrorFields {
  type?: string;
  /** Codes, with the reasons and limits that Google names beside them. */
  code?: string;
  param?: string;
  message?: string;
  retryAfterMs?: number;
}

/** Of the text of a body: JSON in any of the vendors' shapes, HTML, or plain words. */
export function parseErrorBody(body: string): ErrorFields {
  const shape = parseJson(body);
  return shape === undefined ? { message: plainText(body) } : parseErrorShape(shape);
}

/** OpenAI {error:{message,type,code,param}}, Anthropic {error:{type,message,details}}, FastAPI {detail}, plain strings. */
export function parseErrorShape(shape: unknown, depth = 0): ErrorFields {
  if (typeof shape === "string") return { message: shape };
  if (Array.isArray(shape)) return shape.length > 0 && depth < maxDepth ? parseErrorShape(shape[0], depth + 1) : {};
  if (!isRecord(shape)) return {};
  const inner = shape["error"] ?? shape["detail"] ?? shape["response"];
  if (inner !== undefined && inner !== null && depth < maxDepth) {
    const fields = parseErrorShape(inner, depth + 1);
    // A router says whose words it passes on.
    const passedOn = isRecord(inner) && isRecord(inner["metadata"]) ? textOf(inner["metadata"]["raw"]) : "";
    if (passedOn !== "") {
      fields.message = parseErrorShape(parseJson(passedOn) ?? passedOn, depth + 1).message ?? passedOn;
    }
    if (fields.message !== undefined || fields.type !== undefined || fields.code !== undefined) return fields;
  }
  return readFields(shape);
}

function readFields(shape: Record<string, unknown>): ErrorFields {
  const fields: ErrorFields = {};
  const details = readDetails(shape["details"]);
  const code = [textOf(shape["code"]), ...details.codes].filter(Boolean).join(" ");
  const type = textOf(shape["type"]) || textOf(shape["status"]);
  // A proxy in Python writes its null as a word.
  const param =
    textOf(shape["param"]).replace(/^None$/, "") || (Array.isArray(shape["loc"]) ? textOf(shape["loc"].at(-1)) : "");
  const message = textOf(shape["message"]) || textOf(shape["msg"]);
  if (code !== "") fields.code = code;
  if (type !== "") fields.type = type;
  if (param !== "") fields.param = param;
  if (message !== "") fields.message = message;
  if (details.retryAfterMs !== undefined) fields.retryAfterMs = details.retryAfterMs;
  return fields;
}

/** Anthropic has one object of details, Google a list: reasons, the limits that were reached, and when to come again. */
function readDetails(details: unknown): { codes: string[]; retryAfterMs: number | undefined } {
  const all = (Array.isArray(details) ? details.slice(0, maxDetails) : [details]).filter(isRecord);
  const limits = all.flatMap(({ violations }) => (Array.isArray(violations) ? violations : [])).filter(isRecord);
  const codes = [
    ...all.flatMap((each) => [textOf(each["error_code"]), textOf(each["reason"])]),
    ...limits.slice(0, maxDetails).map((limit) => textOf(limit["quotaId"])),
  ];
  const [delay] = all.flatMap(({ retryDelay }) => /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textOf(retryDelay))?.[1] ?? []);
  return { codes, retryAfterMs: delay === undefined ? undefined : Math.ceil(Number(delay) * 1000) };
}

const maxDetails = 20;

/** HTML pages become their title. */
function plainText(body: string): string {
  if (!/<(!doctype|html|head|body)/i.test(body)) return body;
  const title = /<title[^>]*>([^<]*)</i.exec(body.slice(0, 10_000))?.[1]?.trim();
  return title === undefined || title === "" ? "an HTML page" : `an HTML page titled "${title}"`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON: the caller reads it as text.
  }
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
