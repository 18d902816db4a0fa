// For every test file: vi.waitFor and vi.waitUntil wait ten seconds, as expect.poll does by vitest.config.ts. Patience
// costs nothing where all is well, and the second that Vitest gives by itself is too short on a busy machine. Waits that
// are limits of their own say so with a timeout.
import { vi } from "vitest";

const patienceMs = 10_000;
const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === "number" ? options : { timeout: patienceMs, ...options });
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === "number" ? options : { timeout: patienceMs, ...options });
