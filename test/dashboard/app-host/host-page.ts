// A host of MCP Apps as a page in a browser, on the bridge of the extension's own SDK: it puts the app into a sandbox of another origin and
// forwards what that asks for to its own server, which has the MCP client. Runs in the browser.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { AppHostSetup } from "./setup.ts";

declare global {
  /** For the test. */
  var appHost: { bridge: AppBridge; heights: number[] };
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(path, options);
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

async function show(): Promise<void> {
  const setup = await ask<AppHostSetup>("/setup");
  const { html, meta, capabilities, context, result, sandboxUrl } = setup;
  const frame = document.createElement("iframe");
  frame.title = "Approvals";
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
  frame.style.cssText = "display: block; border: 0; width: 100%";
  document.body.append(frame);
  const { contentWindow } = frame;
  if (contentWindow === null) throw new Error("expected a window of the frame, found none");
  const bridge = new AppBridge(null, { name: "Test host", version: "1" }, capabilities, { hostContext: context });
  const heights: number[] = [];
  globalThis.appHost = { bridge, heights };
  bridge.addEventListener("sandboxready", () => {
    const { csp, permissions } = meta;
    // The least that an app may be given.
    const sandbox = "allow-scripts";
    void bridge.sendSandboxResourceReady({
      ...{ html, sandbox },
      ...(csp !== undefined && { csp }),
      ...(permissions !== undefined && { permissions }),
    });
  });
  bridge.addEventListener("sizechange", ({ height }) => {
    if (height === undefined) return;
    heights.push(height);
    frame.style.height = `${height}px`;
  });
  bridge.addEventListener("initialized", () => {
    void bridge.sendToolInput({ arguments: {} }).then(() => bridge.sendToolResult(result));
  });
  if (capabilities.serverTools !== undefined) bridge.oncalltool = (params) => ask<CallToolResult>("/call", params);
  await bridge.connect(new PostMessageTransport(contentWindow, contentWindow));
  frame.src = sandboxUrl;
}

await show();
