// Bedrock's rules for messages of Converse: order, texts, calls with their results, images.
import { findSizeFault } from "./anthropic-images.ts";
import { decodeBase64, readPicture } from "./images.ts";
import { at, firstOf, listOf, textOf } from "./json.ts";
import type { Fault, Rule, VendorRequest } from "./rule.ts";

const messagesOf = ({ body }: VendorRequest) =>
  listOf(body["messages"]).map((message, index) => ({
    index,
    role: textOf(at(message, "role")),
    blocks: listOf(at(message, "content")),
  }));

const idsOf = (blocks: readonly unknown[] | undefined, kind: "toolUse" | "toolResult"): string[] =>
  (blocks ?? []).flatMap((block) => {
    const inner = at(block, kind);
    return inner === undefined ? [] : [textOf(at(inner, "toolUseId"))];
  });

const byModel = (message: string): Fault => ({ message: `The model returned the following errors: ${message}` });

const imageLimits = { perMessage: 20, bytes: 3_932_160 };

export const bedrockMessages: readonly Rule[] = [
  {
    name: "first message",
    source: "AWS's answer, quoted widely",
    find: (request) =>
      messagesOf(request)[0]?.role === "user"
        ? undefined
        : {
            message:
              "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
          },
  },
  {
    name: "alternating roles",
    source: "AWS's guide to Converse; wording from memory",
    find: (request) =>
      firstOf(messagesOf(request), ({ role, index }) =>
        index > 0 && messagesOf(request)[index - 1]?.role === role
          ? byModel('messages: roles must alternate between "user" and "assistant", but found multiple in a row')
          : undefined,
      ),
  },
  {
    name: "empty messages",
    source: "archestra-ai/archestra#4220",
    find: (request) =>
      firstOf(messagesOf(request), ({ blocks, index }) =>
        blocks.length === 0
          ? {
              message: `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`,
            }
          : undefined,
      ),
  },
  {
    name: "blank text",
    source: "langchain-ai/langchain-aws#403",
    find: (request) =>
      firstOf(messagesOf(request), ({ blocks, index }) =>
        firstOf(blocks, (block, position) => {
          const text = at(block, "text");
          if (typeof text !== "string" || text.trim() !== "") return undefined;
          return {
            message: `The text field in the ContentBlock object at messages.${index}.content.${position} is blank. Add text to the text field, and try again.`,
          };
        }),
      ),
  },
  {
    name: "tools of the history",
    source: "langgenius/dify#17545",
    find: (request) =>
      request.body["toolConfig"] === undefined &&
      messagesOf(request).some(({ blocks }) => [...idsOf(blocks, "toolUse"), ...idsOf(blocks, "toolResult")].length > 0)
        ? { message: "The toolConfig field must be defined when using toolUse and toolResult content blocks." }
        : undefined,
  },
  {
    name: "calls without results",
    source: "agno-agi/agno#6698 (February 2026)",
    find(request) {
      const messages = messagesOf(request);
      return firstOf(messages, ({ blocks, index }) => {
        const results = idsOf(messages[index + 1]?.blocks, "toolResult");
        const open = idsOf(blocks, "toolUse").filter((id) => !results.includes(id));
        if (open.length === 0) return undefined;
        return {
          message: `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${open.join(", ")}`,
        };
      });
    },
  },
  {
    name: "results without calls",
    source: "pydantic/pydantic-ai#2327, Just-Curieous/Curie#16",
    find(request) {
      const messages = messagesOf(request);
      return firstOf(messages, ({ blocks, index }) => {
        const calls = idsOf(messages[index - 1]?.blocks, "toolUse");
        if (idsOf(blocks, "toolResult").every((id) => calls.includes(id))) return undefined;
        return {
          message: `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
        };
      });
    },
  },
  {
    name: "empty errors",
    source: "aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15 (June 2026)",
    find: (request) =>
      firstOf(messagesOf(request), ({ blocks, index }) =>
        firstOf(blocks, (block, position) => {
          const result = at(block, "toolResult");
          if (at(result, "status") !== "error") return undefined;
          const content = listOf(at(result, "content"));
          if (content.length > 0) return undefined;
          return {
            message: `The content field at messages.${index}.content.${position}.toolResult cannot be empty when status value is error.`,
          };
        }),
      ),
  },
  {
    name: "documents",
    source: "AWS's answer, quoted widely",
    find: (request) =>
      messagesOf(request).some(
        ({ blocks }) =>
          blocks.some((block) => at(block, "document") !== undefined) &&
          blocks.every((block) => at(block, "text") === undefined),
      )
        ? { message: "A text block must be included when using documents." }
        : undefined,
  },
  {
    name: "image",
    source: "botocore 1.44.5 (PyPI) Message: 20 a message, 3.75 MB, 8,000 px; only for role user",
    find(request) {
      const isClaude = /claude/.test(request.model);
      return firstOf(messagesOf(request), ({ role, blocks, index }) => {
        const images = blocks.flatMap((block, position) =>
          [at(block, "image"), ...listOf(at(at(block, "toolResult"), "content")).map((inner) => at(inner, "image"))]
            .filter((image) => image !== undefined)
            .map((image) => ({ image, path: `messages.${index}.content.${position}.image.source.base64` })),
        );
        if (images.length > 0 && role !== "user") {
          return byModel(`messages.${index}: image blocks are only allowed in messages of the user role`);
        }
        if (images.length > imageLimits.perMessage) {
          return byModel(`messages.${index}: too many images: ${images.length} > ${imageLimits.perMessage}`);
        }
        return firstOf(images, ({ image, path }) => {
          const bytes = decodeBase64(textOf(at(at(image, "source"), "bytes")));
          const picture = bytes && readPicture(bytes);
          if (bytes === undefined || picture === undefined) return byModel("Could not process image");
          if (picture.mediaType !== `image/${textOf(at(image, "format"))}`) {
            return byModel(
              `${path}: Image does not match the provided media type image/${textOf(at(image, "format"))}`,
            );
          }
          if (bytes.length > imageLimits.bytes) {
            return byModel(`${path}: image exceeds the maximum: ${bytes.length} bytes > ${imageLimits.bytes} bytes`);
          }
          const fault = isClaude ? findSizeFault(bytes, `${path}.data`, images.length) : undefined;
          return fault === undefined ? undefined : byModel(fault.message);
        });
      });
    },
  },
];
