// Gemini's rules for contents: calls and responses turn by turn, signatures of thoughts, pictures.
import { decodeBase64, readPicture } from "./images.ts";
import { at, firstOf, listOf, stringsOf, textOf } from "./json.ts";
import type { Rule, VendorRequest } from "./rule.ts";

interface Content {
  role: string;
  parts: readonly unknown[];
  calls: number;
  responses: number;
}

const contentsOf = ({ body }: VendorRequest): Content[] =>
  listOf(body["contents"]).map((content) => {
    const parts = listOf(at(content, "parts"));
    const count = (key: string) => parts.filter((part) => at(part, key) !== undefined).length;
    return {
      role: textOf(at(content, "role")),
      parts,
      calls: count("functionCall"),
      responses: count("functionResponse"),
    };
  });

export const googleContents: readonly Rule[] = [
  {
    name: "contents",
    source: "Google's answer, quoted widely: contents is not specified",
    find: (request) =>
      contentsOf(request).length > 0
        ? undefined
        : { message: "* GenerateContentRequest.contents: contents is not specified" },
  },
  {
    name: "empty contents",
    source: "from memory",
    unverified: true,
    find: (request) =>
      firstOf(contentsOf(request), ({ parts }, index) =>
        parts.length > 0
          ? undefined
          : {
              message: `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`,
            },
      ),
  },
  {
    name: "turns of calls",
    source: "google-gemini/gemini-cli#11814 (calls), langchain-ai/langchain#27799 (responses)",
    find(request) {
      const contents = contentsOf(request);
      return firstOf(contents, ({ calls, responses }, index) => {
        const before = contents[index - 1];
        if (calls > 0 && before?.role !== "user" && before?.role !== "function") {
          return {
            message:
              "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
          };
        }
        if (responses === 0 || (before?.calls ?? 0) > 0) return undefined;
        return { message: "Please ensure that function response turn comes immediately after a function call turn." };
      });
    },
  },
  {
    name: "responses to calls",
    source: "google-gemini/gemini-cli#17208",
    find(request) {
      const contents = contentsOf(request);
      return firstOf(contents, ({ calls }, index) =>
        calls > 0 && contents[index + 1]?.responses !== calls
          ? {
              message:
                "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
            }
          : undefined,
      );
    },
  },
  {
    name: "signatures of thoughts",
    source: "lbjlaq/Antigravity-Manager#139; Gemini 3's guide: the first call of each step of the current turn",
    find(request) {
      if (!/gemini-3/.test(request.model)) return undefined;
      const contents = contentsOf(request);
      const start = contents.findLastIndex(({ role, responses }) => role === "user" && responses === 0);
      return firstOf(contents, ({ parts }, index) => {
        const call = parts.find((part) => at(part, "functionCall") !== undefined);
        if (index < start || call === undefined || textOf(at(call, "thoughtSignature")) !== "") return undefined;
        const name = textOf(at(at(call, "functionCall"), "name"));
        const rule = "Function call is missing a thought_signature in functionCall parts.";
        const why =
          "This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.";
        return {
          message: `${rule} ${why} Additional data, function call \`default_api:${name}\` , position ${index + 1}.`,
        };
      });
    },
  },
  {
    name: "references in responses",
    source: "hermes-agent#100441",
    find: (request) =>
      firstOf(contentsOf(request), ({ parts }) =>
        firstOf(parts, (part) => {
          const response = at(at(part, "functionResponse"), "response");
          const ref = [...stringsOf(response)].find(({ path, text }) => path.at(-1) === "$ref" && text !== "$ref");
          if (ref === undefined) return undefined;
          return {
            message: `The referenced name '${ref.text}' in function_response.response does not match to a display_name in function_response.parts.`,
          };
        }),
      ),
  },
  {
    name: "image",
    source: "Google's answer, quoted widely: Unable to process input image",
    find: (request) =>
      firstOf(contentsOf(request), ({ parts }) =>
        firstOf(parts, (part) => {
          const inline = at(part, "inlineData");
          if (!textOf(at(inline, "mimeType")).startsWith("image/")) return undefined;
          const bytes = decodeBase64(textOf(at(inline, "data")));
          const readable = /heic|heif/.test(textOf(at(inline, "mimeType"))) || (bytes && readPicture(bytes));
          return readable ? undefined : { message: "Unable to process input image." };
        }),
      ),
  },
  {
    name: "gif",
    source: "from memory",
    unverified: true,
    find: (request) =>
      contentsOf(request).some(({ parts }) =>
        parts.some((part) => at(at(part, "inlineData"), "mimeType") === "image/gif"),
      )
        ? { message: "Unsupported MIME type: image/gif" }
        : undefined,
  },
];
