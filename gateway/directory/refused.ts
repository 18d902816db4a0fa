// Why the directory does not do what it was asked to: a status of HTTP, and a sentence that says what to do. What answers by another
// protocol takes the sentence.

const names = {
  400: "bad_request",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  413: "payload_too_large",
  415: "unsupported_media_type",
  422: "invalid",
  503: "unavailable",
  507: "directory_full",
} as const;

export type DirectoryStatus = keyof typeof names;

export class DirectoryRefused extends Error {
  override readonly name = "DirectoryRefused";
  readonly status: DirectoryStatus;

  constructor(status: DirectoryStatus, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export const renderDirectoryRefused = ({ status, message }: Pick<DirectoryRefused, "status" | "message">) => ({
  error: names[status],
  message,
});
