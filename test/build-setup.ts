// Builds dist/ once before the integration tests, which start the programs as users do.
import { build } from "../build.ts";

export async function setup(): Promise<void> {
  await build();
}
