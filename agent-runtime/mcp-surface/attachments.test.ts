// AGT-2 attachments beside images: what reaches the model, and what is refused before anything does.
import { describe, expect, test } from "vitest";
import { defined } from "../../lib/process/defined.ts";
import { renderMessages } from "../model/messages.ts";
import type { UserPart } from "../model/types.ts";
import { maxShownImageChars } from "../session/entry-images.ts";
import { readsPdf } from "../model/pdf.ts";
import { renderTestConfig } from "../testing/run-config.ts";
import { keepUntilEnd } from "../testing/cleanup.ts";
import { ask, connect2026 } from "../testing/client.ts";
import { createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent } from "../testing/servers.ts";
import { maxAttachments, checkShown, parseAttachments, maxPdfBytes, maxTextBytes } from "./attachments.ts";

const keep = keepUntilEnd();
const base64 = (content: string | Buffer) => Buffer.from(content).toString("base64");
const text = (content: string | Buffer, fields: object = {}) => ({
  ...{ data: base64(content), mime_type: "text/plain" },
  ...fields,
});
const pdfOf = (bytes: number) => Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(bytes - 9)]);
const pdf = { data: base64(pdfOf(20)), mime_type: "application/pdf", name: "bill.pdf" };
const reader = { ref: "anthropic.x", pdf: true };
const parse = (...attachments: Parameters<typeof parseAttachments>[0][number][]) =>
  parseAttachments(attachments, reader);

async function start(capabilities: { pdf?: boolean } = {}) {
  const scripted = createScriptedModels([{ text: "seen" }]);
  const { active } = scripted;
  const models = { ...scripted, active: { ...active, capabilities: { ...active.capabilities, ...capabilities } } };
  const agent = await keep(startAgent({}, { models }));
  return { agent, requests: scripted.requests };
}

describe("AGT-2 attachments", () => {
  test("that are text reach every model as text, named, between the message and the images", async () => {
    const { agent, requests } = await start();
    const attachments = [
      text("a: 1\n", { mime_type: "Application/YAML; charset=utf-8", name: 'n\u0007o"t.yaml' }),
      text("é😀"),
    ];
    await ask(agent.mcpUrl, { message: "read", attachments });
    expect(requests[0]?.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "read" },
          { type: "text", text: 'Attachment "not.yaml" (application/yaml):\n\na: 1\n' },
          { type: "text", text: "Attachment 2 (text/plain):\n\né😀" },
        ],
      },
    ]);
  });

  test("need no message, and are in the history with all their bytes", async () => {
    const { agent } = await start({ pdf: true });
    const { sessionId = "" } = await ask(agent.mcpUrl, { message: " ", attachments: [pdf], session_id: "new" });
    const connection = await connect2026(agent.mcpUrl);
    const options = { signal: new AbortController().signal, idleTimeoutMs: 5_000 };
    const { messages } = await connection.getPrompt("tech_research_history", { session_id: sessionId }, options);
    await connection.close();
    expect(messages.map(({ content }) => content)).toMatchObject([
      { type: "text", text: 'Attachment "bill.pdf" (application/pdf):' },
      { type: "resource", resource: { mimeType: pdf.mime_type, blob: pdf.data } },
      { type: "text", text: "seen" },
    ]);
  });

  test("that are PDFs are with the model in later messages of the conversation too", async () => {
    const { agent, requests } = await start({ pdf: true });
    const { sessionId } = await ask(agent.mcpUrl, { message: "keep", attachments: [pdf], session_id: "new" });
    await ask(agent.mcpUrl, { message: "and now?", session_id: sessionId });
    const [first] = requests[1]?.messages ?? [];
    expect(first).toMatchObject({ content: [{}, {}, { type: "image", data: pdf.data, mimeType: pdf.mime_type }] });
  });

  test("that are PDFs go as files to a model that reads them, and leave a note to one that does not", async () => {
    const { agent, requests } = await start({ pdf: true });
    await ask(agent.mcpUrl, { message: "pay", attachments: [pdf] });
    const messages = requests[0]?.messages ?? [];
    const render = (reads: boolean) =>
      renderMessages(messages, {
        vision: true,
        pdf: reads,
        imagesInToolResults: true,
        cacheBreakpoints: false,
        readOpaque: () => undefined,
        callId: (id) => id,
        refusesUserAfterTool: false,
        wantsReasoning: false,
      });
    expect(render(true)).toMatchObject([
      {
        content: [
          { text: "pay" },
          { type: "text" },
          { type: "file", mediaType: "application/pdf", data: { type: "data", data: pdf.data } },
        ],
      },
    ]);
    expect(JSON.stringify(render(false))).toContain("this model reads none");
    expect(JSON.stringify(render(false))).not.toContain(pdf.data);
  });

  test.each([
    [
      "a PDF for a model that reads none",
      pdf,
      'attachment "bill.pdf" is a PDF, which passthrough.test is not declared to read',
    ],
    ["a type that is neither", { ...pdf, mime_type: "application/zip" }, 'has the type "application/zip"'],
    ["base64 that is none", { ...pdf, mime_type: "text/plain", data: "a$b=" }, "is not valid base64"],
    ["text that is not in UTF-8", text(Buffer.from([0xe9, 0x20])), "attachment 1 is not text in UTF-8"],
    ["text with a NUL", text("a\0b"), "attachment 1 is not text in UTF-8"],
  ])("%s is a tool error, and nothing is sent to the model", async (_what, attachment, said) => {
    const { agent, requests } = await start();
    const answer = await ask(agent.mcpUrl, { message: "read", attachments: [attachment] });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(said) });
    expect(requests).toEqual([]);
  });

  test.each([
    ["anthropic", undefined, true],
    ["openai", undefined, true],
    ["google", undefined, true],
    ["bedrock", undefined, true],
    ["openai-compatible", undefined, false],
    ["huggingface", undefined, false],
    ["passthrough", undefined, false],
    ["openai-compatible", true, true],
    ["openai", false, false],
  ] as const)("that are PDFs are read with a provider of kind %s, declared %s: %s", (kind, declared, reads) => {
    const [model] = renderTestConfig().models;
    const capabilities = { ...model?.capabilities, ...defined({ pdf: declared }) };
    const provider = { name: "p", kind, headers: [], requireListedModel: true, forwardInboundAuth: false };
    expect(readsPdf({ provider: "p", capabilities }, [provider])).toBe(reads);
  });

  test("called PDFs whose bytes are none are refused", () => {
    expect(() => parse({ ...pdf, data: base64("<html>") })).toThrow(
      "was sent as application/pdf, but its bytes are not",
    );
  });

  test("have PDFs of at most 10 MiB and texts of 1 MiB together: at the limit taken, one byte more refused", () => {
    const large = (bytes: number) => ({ ...pdf, data: base64(pdfOf(bytes)) });
    expect(parse(large(maxPdfBytes))).toHaveLength(2);
    expect(() => parse(large(maxPdfBytes + 1))).toThrow("has 10485761 bytes, expected at most 10485760 (10 MiB)");
    const half = text("x".repeat(maxTextBytes / 2));
    expect(parse(half, half)).toHaveLength(2);
    expect(() => parse(half, half, text("x"))).toThrow("have 1048577 bytes, expected at most 1048576 (1 MiB)");
  });

  test("that are PDFs stay with images within what a model is shown: at the limit taken, one character more refused", () => {
    const image = (chars: number): UserPart => ({ type: "image", data: "x".repeat(chars), mimeType: "image/png" });
    const file: UserPart = { type: "image", data: pdf.data, mimeType: "application/pdf" };
    const room = maxShownImageChars - pdf.data.length;
    expect(() => checkShown([file, image(room)])).not.toThrow();
    expect(() => checkShown([file, image(room + 1)])).toThrow(`${maxShownImageChars + 1} bytes as base64 together`);
  });

  test("are 16 at most", () => {
    const many = (count: number) => Array.from({ length: count }, () => text("x"));
    expect(parse(...many(maxAttachments))).toHaveLength(maxAttachments);
    expect(() => parse(...many(maxAttachments + 1))).toThrow("found 17 attachments, expected at most 16");
  });

  test.each(["text/csv", "application/json", "application/ld+json", "text/html; charset=utf-8"])(
    "of type %s are texts",
    (mime_type) => {
      expect(parse(text("x", { mime_type }))).toHaveLength(1);
    },
  );

  test.each(["image/svg+xml", "application/octet-stream", "text/", "application/x+zip", ""])(
    "of type %j are neither texts nor PDFs",
    (mime_type) => {
      expect(() => parse(text("x", { mime_type }))).toThrow("has the type");
    },
  );
});
