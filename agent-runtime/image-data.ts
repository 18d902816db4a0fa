// What an image must be before it may reach a model, whoever sent it: a provider refuses the whole turn for one bad image,
// and every later turn of a history that holds it. So it is judged by its bytes, and by what the provider is known to refuse.
import type { RunProvider } from "../crds/run-config.ts";
import { readImageHeader } from "./image-header.ts";
import type { ImageData } from "./model/types.ts";

const acceptedTypes: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
export const maxImageBytes = 10 * 1024 * 1024;
/** Of base64: enough for the headers of nearly all files. */
const headerChars = 256 * 1024;

/** What one kind of provider refuses beyond that. */
export interface ImageLimits {
  readonly provider: string;
  readonly maxBytes?: number;
  /** Of the base64 text. */
  readonly maxChars?: number;
  /** Of the longer side. */
  readonly maxPixels?: number;
  readonly refusedType?: string;
  /** Images in what stands between two answers. */
  readonly maxBetweenAnswers?: number;
  /** In a request with more images than `above`, the longer side of each. */
  readonly many?: { readonly above: number; readonly maxPixels: number };
}

/** Published, or read from refusals; docs/models.md has them for users. */
const limitsByKind: Partial<Record<RunProvider["kind"], Omit<ImageLimits, "provider">>> = {
  anthropic: { maxChars: 10 * 1024 * 1024, maxPixels: 8_000, many: { above: 20, maxPixels: 2_000 } },
  bedrock: {
    maxBytes: 3.75 * 1024 * 1024,
    maxPixels: 8_000,
    maxBetweenAnswers: 20,
    many: { above: 20, maxPixels: 2_000 },
  },
  google: { refusedType: "image/gif" },
};

/** The limits of a provider of this name among `providers`; undefined where none are known. */
export function findImageLimits(name: string, providers: readonly RunProvider[]): ImageLimits | undefined {
  const kind = providers.find((provider) => provider.name === name)?.kind;
  const limits = kind === undefined ? undefined : limitsByKind[kind];
  return limits && { provider: name, ...limits };
}

/** What is wrong with an image, as the end of a sentence that begins with its name, and the cure; undefined when nothing is. */
export function findImageProblem({ data, mimeType }: ImageData, limits: ImageLimits | undefined): string | undefined {
  if (!acceptedTypes.includes(mimeType)) {
    return `has the type "${mimeType.slice(0, 100)}", expected one of ${acceptedTypes.join(", ")}`;
  }
  if (data.length === 0 || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    return "is not valid base64: send the bare data, padded, without a data: prefix or line breaks";
  }
  const bytes = countBytes(data);
  if (bytes > maxImageBytes) {
    return `has ${bytes} bytes, expected at most ${maxImageBytes} (10 MiB): send a smaller one`;
  }
  const header = readHeader(data);
  if (header?.mimeType !== mimeType) {
    const found = header === undefined ? "its bytes are none of these types" : `its bytes are ${header.mimeType}`;
    return `was sent as ${mimeType}, but ${found}: send the image as it is, with its true type`;
  }
  const { width = 1, height = 1 } = header;
  if (width === 0 || height === 0) return "is empty: its header says that it has no pixels";
  return limits && findRefusal(limits, { mimeType, bytes, chars: data.length, pixels: Math.max(width, height) });
}

/** What a provider has against an image that was found well before, by whomever it was taken then; worded as above. */
export function findImageRefusal({ data, mimeType }: ImageData, limits: ImageLimits): string | undefined {
  const measured = { mimeType, bytes: countBytes(data), chars: data.length, pixels: longerSide({ data }) };
  return findRefusal(limits, measured);
}

/** In pixels; 1 where the header does not say. */
export function longerSide({ data }: Pick<ImageData, "data">): number {
  const { width = 1, height = 1 } = readHeader(data) ?? {};
  return Math.max(width, height);
}

const countBytes = (data: string) => (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
const readHeader = (data: string) => readImageHeader(Buffer.from(data.slice(0, headerChars), "base64"));

function findRefusal(
  { provider, refusedType, maxBytes = Infinity, maxChars = Infinity, maxPixels = Infinity }: ImageLimits,
  { mimeType, bytes, chars, pixels }: { mimeType: string; bytes: number; chars: number; pixels: number },
): string | undefined {
  const place = `the model's provider, ${provider},`;
  if (mimeType === refusedType) return `is of type ${mimeType}, which ${place} does not take: send another type`;
  if (bytes > maxBytes) return `has ${bytes} bytes, and ${place} takes at most ${maxBytes}: send a smaller one`;
  if (chars > maxChars) {
    return `has ${chars} bytes as base64, and ${place} takes at most ${maxChars}: send a smaller one`;
  }
  return pixels > maxPixels
    ? `has a side of ${pixels} pixels, and ${place} takes at most ${maxPixels}: send a smaller one`
    : undefined;
}
