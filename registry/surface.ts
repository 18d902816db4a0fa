// One part of what the registry serves: a Hono application with full paths, mounted by app.ts beside the others.
import type { Hono } from "hono";

export interface Surface {
  app: Hono;
  /** Whether any page may GET this path (SEC-4, CORS `*`): what it says is for everyone. Absent: none of its paths. */
  isPublicRead?: (path: string) => boolean;
}
