// A registration as the resource that is kept: how it is named, and what must hold of it before anything is written.
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { apiVersion } from "../../crds/names.ts";
import { registrationManifest, type PallasRegistration, type RegistrationSpec } from "../../crds/registration.ts";
import { describeIssues } from "./issues.ts";
import { DirectoryRefused } from "./refused.ts";

/** Of a registration as the cluster's database holds it, which takes no more than 1.5 MB in one piece. */
export const maxStoredBytes = 1024 * 1024;

/** Of all that is registered under other names, a registration of this name has one of its own. */
export function chooseResourceName(instance: string, name: string, isTaken: (resourceName: string) => boolean): string {
  for (let attempt = 0; ; attempt += 1) {
    const hash = createHash("sha256")
      .update(JSON.stringify([instance, name, attempt]))
      .digest("hex");
    const chosen = `registration-${hash.slice(0, 32)}`;
    if (!isTaken(chosen)) return chosen;
  }
}

/** Throws a DirectoryRefused that names each faulty field as its caller knows it. */
export function renderManifest(
  { namespace, name }: { namespace: string; name: string },
  spec: RegistrationSpec,
): PallasRegistration {
  const manifest = { apiVersion, kind: "PallasRegistration", metadata: { name, namespace }, spec };
  const result = registrationManifest.safeParse(manifest);
  if (!result.success) {
    throw new DirectoryRefused(422, describeIssues(result.error, "").replaceAll(/(^|; )spec\./g, "$1"));
  }
  const bytes = countStoredBytes(JSON.stringify(manifest));
  if (bytes > maxStoredBytes) {
    throw new DirectoryRefused(
      413,
      `the registration takes ${bytes} bytes where it is kept, more than ${maxStoredBytes}: shorten what it says`,
    );
  }
  return result.data;
}

/** The API server writes some characters as six. */
function countStoredBytes(json: string): number {
  const escaped = json.match(/[<>&]/g)?.length ?? 0;
  const separators = json.match(/[\u2028\u2029]/g)?.length ?? 0;
  return Buffer.byteLength(json) + 5 * escaped + 3 * separators;
}

/** Whether both say the same but for when it was said. */
export function isSameRegistration(a: RegistrationSpec, b: RegistrationSpec): boolean {
  const { updatedAt: _a, ...left } = a;
  const { updatedAt: _b, ...right } = b;
  return isDeepStrictEqual(left, right);
}
