// Debian's Chromium by Playwright, for the dashboard's tests: one a file, a context a test. It reaches this machine and nothing else.
import { chromium, type Browser } from "playwright-core";
import { findProgram } from "../tools/find-program.ts";

/** Only where `needs("chromium")` holds. */
export function startBrowser(): Promise<Browser> {
  const executablePath = findProgram("chromium");
  if (executablePath === undefined) throw new Error("expected chromium on this machine, found none; run make tools");
  return chromium.launch({
    executablePath,
    // The tests may run as root, where the sandbox cannot.
    chromiumSandbox: false,
    args: [
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ],
  });
}
