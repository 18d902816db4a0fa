// Metadata of manifests as the API server takes it, and the keys of labels, which pods' settings have too. A CRD cannot
// describe metadata: the API server has rules of its own, and those that people run into are said here again.
import * as z from "zod";
import { characters, map, withRules } from "./fields.ts";

/** Keys of labels and annotations: an optional domain and a slash, then a name of at most 63 characters. */
const qualifiedName =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*[/])?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const maxDomainChars = 253;
const isQualifiedName = (key: string) => qualifiedName.test(key) && key.lastIndexOf("/") <= maxDomainChars;

/** A map whose keys are those of labels or annotations. */
export const keyedByLabel = <T extends z.ZodType>(value: T, maxEntries: number, description: string) =>
  withRules(map(value, maxEntries, description), {
    cel: `self.all(key, key.matches('${qualifiedName.source}') && key.lastIndexOf('/') <= ${maxDomainChars})`,
    message: "every key must be a label's key, such as team or example.com/team",
    holds: (entries) => Object.keys(entries).every(isQualifiedName),
  });

export const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
export const maxLabelValueChars = 63;

const key = { error: "every key must be a label's key, such as team or example.com/team" };
const labelValue = z.string().max(maxLabelValueChars).regex(labelValuePattern, {
  error: "must be a label's value: at most 63 letters, digits, hyphens, underscores and dots",
});
const labels = z.record(z.string(), labelValue).refine((entries) => Object.keys(entries).every(isQualifiedName), key);

const maxAnnotationBytes = 256 * 1024;
const bytes = (text: string) => new TextEncoder().encode(text).length;
const totalBytes = (entries: Record<string, string>) =>
  Object.entries(entries).reduce((sum, [key, value]) => sum + bytes(key) + bytes(value), 0);

const annotations = z
  .record(z.string(), z.string())
  // Unlike those of labels, these keys may have upper case in the domain.
  .refine((entries) => Object.keys(entries).every((name) => isQualifiedName(name.toLowerCase())), key)
  .refine((entries) => totalBytes(entries) <= maxAnnotationBytes, {
    error: `keys and values must have at most ${maxAnnotationBytes} bytes together`,
  });

const filled = z.string().min(1, { error: "must not be empty" });
const owner = z.looseObject({ apiVersion: filled, kind: filled, name: filled, uid: filled });
const time = z.iso.datetime({ offset: true, error: "must be a time such as 2026-11-21T10:00:00Z" });

const defaultNamespace = "default";
const namespace = z
  .string()
  .regex(/^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/, {
    error: "must be at most 63 lower-case letters, digits and hyphens, with a letter or digit at both ends",
  })
  .transform((name) => (name === "" ? defaultNamespace : name));

/** metadata as a manifest has it; what the server fills is accepted and left alone. */
export const objectMeta = z.strictObject({
  name: z.string().refine((value) => characters(value) >= 1, { message: "must not be empty" }),
  namespace: namespace.default(defaultNamespace),
  labels: labels.exactOptional(),
  annotations: annotations.exactOptional(),
  generateName: z.string().exactOptional(),
  uid: z.string().exactOptional(),
  resourceVersion: z.string().exactOptional(),
  generation: z.int().exactOptional(),
  creationTimestamp: time.nullish(),
  deletionTimestamp: time.exactOptional(),
  deletionGracePeriodSeconds: z.int().exactOptional(),
  finalizers: z
    .array(z.string().refine(isQualifiedName, { error: "must be a name such as example.com/clean-up" }))
    .exactOptional(),
  ownerReferences: z.array(owner).exactOptional(),
  managedFields: z.array(z.looseObject({})).exactOptional(),
  selfLink: z.string().exactOptional(),
});
