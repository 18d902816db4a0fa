// What a vendor refuses, as data: a rule looks at one request and finds a fault or nothing. Rules are pure and know no
// other rule; how a fault is worded as JSON is the vendor's business.
import type { Frame } from "../answer-parts.ts";
import type { Json } from "./json.ts";

/** A server without a parser of tool calls, a model without vision or thinking. */
export type Lack = "tools" | "vision" | "thinking";

export interface VendorRequest {
  /** As it came; `body` is its JSON. */
  text: string;
  body: Json;
  /** Name of the model, from the body or the path. */
  model: string;
  /** Tokens for input and answer together; undefined = without end. */
  contextWindow: number | undefined;
  /** Tokens that an answer may have; undefined = any number. */
  maxOutputTokens: number | undefined;
  /** Tokens that one request may ask for. */
  tokensPerMinute: number | undefined;
  /** What this server or model cannot do. */
  lacks: readonly Lack[];
}

export interface Fault {
  message: string;
  /** 400 unless set. */
  status?: number;
  type?: string;
  code?: string;
  param?: string;
  /** Further fields of the error. */
  fields?: Json;
  /** A streamed call gets a 200, and the fault as an event. */
  inStream?: true;
}

export interface Rule {
  /** Unique for a vendor; by it a test switches the rule off. */
  name: string;
  /** Where the vendor's own answer or description was seen, and when. */
  source: string;
  /** From memory only: applied when asked for. */
  unverified?: true;
  find: (request: VendorRequest) => Fault | undefined;
}

/** Frames of the answer of a streamed call, or one body. */
export interface Rendered {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  frames?: Frame[];
}

/** The call that was refused; `path` with its query. */
export interface VendorCall {
  model: string;
  streamed: boolean;
  path: string;
}

export interface Vendor {
  /** In the vendor's order: the first fault answers. */
  rules: readonly Rule[];
  render: (fault: Fault, call: VendorCall) => Rendered;
}
