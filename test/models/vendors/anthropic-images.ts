// Images as Claude takes them, at Anthropic and through Bedrock.
import { at, firstOf, listOf, textOf } from "./json.ts";
import { decodeBase64, readPicture } from "./images.ts";
import type { Fault, Rule, VendorRequest } from "./rule.ts";

const claudeImageLimits = { sidePixels: 8_000, manySidePixels: 2_000, many: 20 };
const encodedLimit = 10 * 1024 * 1024;
const countLimit = 100;
const mediaTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];

interface ClaudeImage {
  /** messages.0.content.1.image.source */
  path: string;
  mediaType: string;
  data: string;
}

/** Blocks of messages, and of results among them. */
function imagesOf({ body }: VendorRequest): ClaudeImage[] {
  const read = (block: unknown, path: string): ClaudeImage[] => {
    if (at(block, "type") === "tool_result") {
      return listOf(at(block, "content")).flatMap((inner, index) =>
        read(inner, `${path}.tool_result.content.${index}`),
      );
    }
    const source = at(block, "source");
    if (at(block, "type") !== "image" || at(source, "type") !== "base64") return [];
    const [mediaType, data] = [textOf(at(source, "media_type")), textOf(at(source, "data"))];
    return [{ path: `${path}.image.source`, mediaType, data }];
  };
  return listOf(body["messages"]).flatMap((message, index) =>
    listOf(at(message, "content")).flatMap((block, position) => read(block, `messages.${index}.content.${position}`)),
  );
}

/** The largest side that a picture of this request may have was passed. */
export function findSizeFault(bytes: Buffer, path: string, count: number): Fault | undefined {
  const picture = readPicture(bytes);
  const side = Math.max(picture?.width ?? 0, picture?.height ?? 0);
  const { sidePixels, manySidePixels, many } = claudeImageLimits;
  const fault = "At least one of the image dimensions exceed max allowed size";
  if (side > sidePixels) return { message: `${path}: ${fault}: ${sidePixels} pixels` };
  if (count <= many || side <= manySidePixels) return undefined;
  return { message: `${path}: ${fault} for many-image requests: ${manySidePixels} pixels` };
}

export const anthropicImages: readonly Rule[] = [
  {
    name: "image count",
    source: "from memory: 100 a request",
    unverified: true,
    find: (request) =>
      imagesOf(request).length > countLimit
        ? { message: `messages: too many images: ${imagesOf(request).length} > ${countLimit}` }
        : undefined,
  },
  {
    name: "image type",
    source: "anthropic 2.12.0 (PyPI) Base64ImageSourceParam; anthropics/claude-code#15746",
    find: (request) =>
      firstOf(imagesOf(request), ({ path, mediaType, data }) => {
        if (!mediaTypes.includes(mediaType)) {
          const [allowed, last] = [mediaTypes.slice(0, -1), mediaTypes.at(-1)];
          const list = allowed.map((type) => `'${type}'`).join(", ");
          return { message: `${path}.base64.media_type: Input should be ${list} or '${last}'` };
        }
        const bytes = decodeBase64(data);
        if (bytes === undefined) return { message: `${path}.base64.data: Input should be a valid base64 string` };
        const picture = readPicture(bytes);
        if (picture === undefined) return { message: "Could not process image" };
        if (picture.mediaType === mediaType) return undefined;
        return { message: `${path}.base64: Image does not match the provided media type ${mediaType}` };
      }),
  },
  {
    name: "image bytes",
    source: "can1357/oh-my-pi#10633 (2026): 10 MB of base64; 5 MB until 2025",
    find: (request) =>
      firstOf(imagesOf(request), ({ path, data }) =>
        data.length > encodedLimit
          ? { message: `${path}.base64: image exceeds 10 MB maximum: ${data.length} bytes > ${encodedLimit} bytes` }
          : undefined,
      ),
  },
  {
    name: "image pixels",
    source: "anthropics/claude-code#4778, #21900",
    find: (request) => {
      const images = imagesOf(request);
      return firstOf(images, ({ path, data }) =>
        findSizeFault(Buffer.from(data, "base64"), `${path}.base64.data`, images.length),
      );
    },
  },
];
