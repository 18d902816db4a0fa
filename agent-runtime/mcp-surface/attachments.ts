// The attachments of a send_message call, checked before any of them reaches a model (AGT-2): texts go into the message as text,
// for every model; a PDF goes as it is to a model that reads PDFs. Each problem names the attachment and the rule.
import { pdfType } from "../model/pdf.ts";
import type { UserPart } from "../model/types.ts";
import { maxShownImageChars } from "../session/entry-images.ts";
import { InputError } from "./images.ts";

export const maxAttachments = 16;
/** Of all texts together: more than that fills the context of most models. */
export const maxTextBytes = 1024 * 1024;
export const maxPdfBytes = 10 * 1024 * 1024;
const maxNameChars = 200;

const textType =
  /^(text\/[\w.+-]{1,100}|application\/(json|xml|yaml|x-yaml|toml|javascript|typescript|sql|graphql|x-ndjson|x-sh|[\w.-]{1,100}\+(json|xml|yaml)))$/;

export interface WrittenAttachment {
  data: string;
  mime_type: string;
  name?: string | undefined;
}

export interface Reader {
  /** The model's reference. */
  ref: string;
  /** Whether it reads PDFs. */
  pdf: boolean;
}

/** The attachments as parts of the message. Throws InputError. */
export function parseAttachments(attachments: readonly WrittenAttachment[], model: Reader): UserPart[] {
  if (attachments.length > maxAttachments) {
    throw new InputError(`found ${attachments.length} attachments, expected at most ${maxAttachments}: send fewer`);
  }
  let leftBytes = maxTextBytes;
  return attachments.flatMap((attachment, index): UserPart[] => {
    const plain = renderPlain(attachment.name ?? "");
    const name = plain === "" ? `${index + 1}` : `"${plain}"`;
    const type = attachment.mime_type.split(";")[0]?.trim().toLowerCase() ?? "";
    if (type !== pdfType && !textType.test(type)) {
      const shown = attachment.mime_type.slice(0, 100);
      throw new InputError(
        `attachment ${name} has the type "${shown}", expected a text, JSON, XML, YAML or ${pdfType}`,
      );
    }
    const bytes = parseBase64(attachment.data, name);
    const label = `Attachment ${name} (${type}):`;
    if (type === pdfType) {
      checkPdf(bytes, name, model);
      return [
        { type: "text", text: label },
        { type: "image", data: attachment.data, mimeType: pdfType },
      ];
    }
    leftBytes -= bytes.length;
    if (leftBytes < 0) {
      throw new InputError(
        `the attached texts up to ${name} have ${maxTextBytes - leftBytes} bytes, expected at most ${maxTextBytes} (1 MiB): send less`,
      );
    }
    return [{ type: "text", text: `${label}\n\n${parseText(bytes, name)}` }];
  });
}

/** Throws InputError where a model would not be shown all of a message at once. */
export function checkShown(content: readonly UserPart[]): void {
  const chars = content.reduce((sum, part) => sum + (part.type === "image" ? part.data.length : 0), 0);
  if (chars <= maxShownImageChars) return;
  throw new InputError(
    `images and PDFs have ${chars} bytes as base64 together, expected at most ${maxShownImageChars} (20 MiB): send them in several messages`,
  );
}

/** The model reads it beside the text, in quotes. */
const renderPlain = (name: string): string =>
  name
    .slice(0, maxNameChars)
    .toWellFormed()
    .replaceAll(/[\p{Cc}"]/gu, "")
    .trim();

function parseBase64(data: string, name: string): Buffer {
  if (data.length === 0 || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) {
    const rule = "send the bare data, padded, without a data: prefix or line breaks";
    throw new InputError(`attachment ${name} is not valid base64: ${rule}`);
  }
  return Buffer.from(data, "base64");
}

function parseText(bytes: Buffer, name: string): string {
  const problem = new InputError(`attachment ${name} is not text in UTF-8: send it in UTF-8, or with its true type`);
  if (bytes.includes(0)) throw problem;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw problem;
  }
}

function checkPdf(bytes: Buffer, name: string, model: Reader): void {
  if (!model.pdf) {
    throw new InputError(
      `attachment ${name} is a PDF, which ${model.ref} is not declared to read: send its text, or declare modelCapabilities.pdf`,
    );
  }
  if (!bytes.subarray(0, 5).equals(Buffer.from("%PDF-"))) {
    throw new InputError(
      `attachment ${name} was sent as ${pdfType}, but its bytes are not: send it with its true type`,
    );
  }
  if (bytes.length > maxPdfBytes) {
    throw new InputError(
      `attachment ${name} has ${bytes.length} bytes, expected at most ${maxPdfBytes} (10 MiB): send a smaller one`,
    );
  }
}
