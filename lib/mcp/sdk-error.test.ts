// What a server answered while a call ended early stands in no error of the call: the SDK's own errors quote it.
import { SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { renderError } from "../process/error-fields.ts";
import type { CallDeadline } from "./call-deadline.ts";
import { renderFailure } from "./sdk-error.ts";

const canary = "canary-7f3a";
const url = "http://127.0.0.1:9/mcp";

test.each(["cancelled", "idle", "total", undefined] as const)("LOG-3 a call that is %s quotes no server", (expired) => {
  const nothing = () => undefined;
  const { signal } = new AbortController();
  const deadline: CallDeadline = { signal, expired: () => expired, reset: nothing, hold: () => nothing, stop: nothing };
  const said = `Error POSTing to endpoint: cannot do ${canary}`;
  const cause = new Error(canary);
  const thrown = [
    new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, said, { status: 500, text: canary }),
    Object.assign(new SdkError(SdkErrorCode.SendFailed, said), { cause }),
  ];
  for (const error of thrown) {
    const failure = renderFailure(error, url, false, deadline, 1_000);
    expect(JSON.stringify(renderError(failure))).not.toContain(canary);
    expect(renderError(failure).cause?.message).toContain(error.name);
  }
});
