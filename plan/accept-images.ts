// Which images an instance or a tool server may name: whoever writes one must not thereby choose what code runs beside the
// agents' secrets, so others than the release's come only from repositories that the operator was told (SEC-2).
import type { PallasInstance } from "../crds/instance.ts";
import type { PallasServer } from "../crds/server.ts";
import { listNames, type ValidationError } from "./validation-error.ts";
import type { Limits } from "./rules.ts";

/** `host/team/agent:1@sha256:…` → `host/team/agent`. */
export function repositoryOf(image: string): string {
  const [name = ""] = image.split("@");
  const tag = name.lastIndexOf(":");
  // A colon before the last slash is a port.
  return tag > name.lastIndexOf("/") ? name.slice(0, tag) : name;
}

function imageProblem(path: string, image: string, { allowedImages: allowed }: Limits): ValidationError[] {
  const repository = repositoryOf(image);
  if (allowed === undefined || image === "") return [];
  if (allowed.some((entry) => repository === entry || repository.startsWith(`${entry}/`))) return [];
  const message = `image "${image}" is not from a repository that the operator allows (${listNames(allowed)}); use one of them, or add this one to PALLAS_ALLOWED_IMAGES of the operator`;
  return [{ reason: "InvalidField", path, message }];
}

export const imageProblems = ({ spec }: PallasInstance, limits: Limits): ValidationError[] =>
  (["agent", "registry", "gateway"] as const).flatMap((program) =>
    imageProblem(`spec.images.${program}`, spec.images?.[program] ?? "", limits),
  );

/** None of them is the release's: where nothing is allowed beside it, no server has an image of its own. */
export const serverImageProblems = ({ spec }: PallasServer, limits: Limits): ValidationError[] =>
  imageProblem("spec.container.image", spec.container?.image ?? "", limits);
