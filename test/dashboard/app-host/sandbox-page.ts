// The sandbox between a host of MCP Apps and an app, of another origin than the host (SEP-1865): it holds the app in a frame, whose policy is that of
// this page's headers, and hands messages on. Runs in the browser.
import * as z from "zod";

const own = "ui/notifications/sandbox-";
const readySchema = z.object({
  method: z.literal(`${own}resource-ready`),
  params: z.object({ html: z.string(), sandbox: z.string() }),
});
const ownSchema = z.looseObject({ method: z.string().startsWith(own) });

const app = document.createElement("iframe");
app.title = "App";
app.style.cssText = "display: block; border: 0; width: 100%; height: 100vh";

addEventListener("message", ({ source, data }: MessageEvent<unknown>) => {
  if (source === window.parent) {
    const ready = readySchema.safeParse(data);
    if (!ready.success) {
      app.contentWindow?.postMessage(data, "*");
      return;
    }
    app.setAttribute("sandbox", ready.data.params.sandbox);
    app.srcdoc = ready.data.params.html;
    document.body.append(app);
  } else if (source === app.contentWindow && !ownSchema.safeParse(data).success) {
    window.parent.postMessage(data, "*");
  }
});
window.parent.postMessage({ jsonrpc: "2.0", method: `${own}proxy-ready`, params: {} }, "*");
