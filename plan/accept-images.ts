// Which images an instance may name: whoever writes an instance must not thereby choose what code runs beside the
// agents' secrets, so others than the release's come only from repositories that the operator was told (SEC-2).
import type { PallasInstance } from "../crds/instance.ts";
import { listNames, type ValidationError } from "./validation-error.ts";
import type { Limits } from "./rules.ts";

/** `host/team/agent:1@sha256:…` → `host/team/agent`. */
export function repositoryOf(image: string): string {
  const [name = ""] = image.split("@");
  const tag = name.lastIndexOf(":");
  // A colon before the last slash is a port.
  return tag > name.lastIndexOf("/") ? name.slice(0, tag) : name;
}

export function imageProblems({ spec }: PallasInstance, { allowedImages: allowed }: Limits): ValidationError[] {
  if (allowed === undefined) return [];
  return (["agent", "registry", "gateway"] as const).flatMap((program): ValidationError[] => {
    const image = spec.images?.[program] ?? "";
    const repository = repositoryOf(image);
    if (image === "" || allowed.some((entry) => repository === entry || repository.startsWith(`${entry}/`))) return [];
    const message = `image "${image}" is not from a repository that the operator allows (${listNames(allowed)}); use one of them, or add this one to PALLAS_ALLOWED_IMAGES of the operator`;
    return [{ reason: "InvalidField", path: `spec.images.${program}`, message }];
  });
}
