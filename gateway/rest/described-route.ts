// How a route of the gateway is described for its OpenAPI document, and the few words in which schemas of it are written. Pure.
import type { Role } from "../../lib/auth/roles.ts";

export const openApiPath = "/openapi.json";

export type Method = "get" | "post" | "put" | "delete";

export interface DescribedRoute {
  method: Method;
  /** With the names of its parameters in braces. */
  path: string;
  summary: string;
  /** Which the caller needs. */
  role: Role;
  /** Of its answer. Default 200. */
  statuses?: readonly ("200" | "201" | "204" | "501")[];
  /** Absent: nothing. */
  answer?: object;
  body?: object;
  query?: readonly object[];
  /** Beside 401 and 403, and 404 where the path names something. */
  errors?: readonly ErrorStatus[];
  /** Whether it is read without a token where the instance says so. */
  mayBePublic?: boolean;
}

export type ErrorStatus =
  | "400"
  | "401"
  | "403"
  | "404"
  | "409"
  | "413"
  | "415"
  | "422"
  | "429"
  | "501"
  | "502"
  | "503"
  | "504"
  | "507";

export const text = { type: "string" };
export const whole = { type: "integer" };
export const flag = { type: "boolean" };
export const nullable = (type: string) => ({ type: [type, "null"] });
export const list = (items: object) => ({ type: "array", items });
export const object = (properties: Record<string, object>) => ({ type: "object", properties });
export const words = (...values: string[]) => ({ type: "string", enum: values });
export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const inQuery = (name: string, schema: object, description: string) => ({
  name,
  in: "query",
  description,
  schema,
});
