// The approvals as an MCP App: what a host of such apps finds, over real HTTP, and who finds it.
import { describe, expect, onTestFinished, test } from "vitest";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import * as z from "zod";
import { sampleAgent, sampleInstance } from "../../../plan/testing/resources.ts";
import { startManagement } from "../testing/management.ts";
import { paymentQuestion } from "../testing/questions.ts";

const html = "<!doctype html><title>approvals</title>";

async function start(approvalsApp: string | undefined = html) {
  const management = await startManagement({
    agents: [sampleAgent("clerk")],
    instance: sampleInstance({ servers: [{ name: "bank", url: "http://bank.tools.svc:8000/mcp" }] }),
    approvalsApp,
  });
  onTestFinished(() => management.stop());
  const connect = async (name: string) => {
    const client = new Client({ name: "host", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const requestInit = { headers: { "x-caller": name } };
    await client.connect(new StreamableHTTPClientTransport(new URL(management.url), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  };
  const ask = async () => (await management.approvals.open(paymentQuestion(), { agent: "clerk" })).metadata.name;
  const list = async (name: string, args = {}) =>
    await (await connect(name)).callTool({ name: "approvals_list", arguments: args });
  return { ...management, connect, ask, list };
}

describe("UI-2 the approvals for hosts of MCP Apps", () => {
  test("a viewer's tool names the page, for models and for apps", async () => {
    const { connect } = await start();
    const { tools } = await (await connect("viewer")).listTools();
    const found = tools.find(({ name }) => name === "approvals_list");
    expect(found?._meta).toEqual({ ui: { resourceUri: "ui://pallas/approvals", visibility: ["model", "app"] } });
    expect(found?.annotations).toMatchObject({ readOnlyHint: true });
  });

  test("the page is an app that may reach no origin", async () => {
    const { connect } = await start();
    const { contents } = await (await connect("viewer")).readResource({ uri: "ui://pallas/approvals" });
    expect(contents).toEqual([
      {
        uri: "ui://pallas/approvals",
        mimeType: "text/html;profile=mcp-app",
        text: html,
        _meta: {
          ui: {
            csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
            permissions: {},
            prefersBorder: false,
          },
        },
      },
    ]);
  });

  test("the tool gives the page what waits, who asks and the time, and the model no arguments", async () => {
    const { ask, list } = await start();
    const name = await ask();
    const answer = await list("approver");
    expect(answer.structuredContent).toEqual({
      approvals: [expect.objectContaining({ call_id: name, arguments: '{"amount":40}', may_decide: true })],
      caller: expect.objectContaining({ name: "approver", role: "approver", instance: expect.any(String) }),
      now: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const { now } = z.object({ now: z.iso.datetime() }).parse(answer.structuredContent);
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
    expect(answer.content).toEqual([
      {
        type: "text",
        text: expect.stringMatching(new RegExp(`^${name}: bank / pay of agent clerk, pending, .*waits for you$`)),
      },
    ]);
    expect(JSON.stringify(answer.content)).not.toContain("amount");
  });

  test("who may not see arguments is given none", async () => {
    const { ask, list } = await start();
    await ask();
    const { structuredContent } = await list("viewer");
    expect(structuredContent).toMatchObject({
      approvals: [{ may_decide: false, arguments_hash: expect.any(String) }],
      caller: { role: "viewer" },
    });
    expect(JSON.stringify(structuredContent)).not.toContain('"arguments":');
  });

  test("one call is found whatever was decided of it, and none that is not there", async () => {
    const { ask, list, connect } = await start();
    const call_id = await ask();
    await (
      await connect("approver")
    ).callTool({
      name: "agents_approve_request",
      arguments: { call_id, decision: "deny_continue" },
    });
    expect((await list("viewer")).structuredContent).toMatchObject({ approvals: [] });
    expect((await list("viewer", { call_id })).structuredContent).toMatchObject({
      approvals: [{ call_id, decision: { verdict: "deny_continue" } }],
    });
    expect(await list("viewer", { call_id: "other" })).toMatchObject({
      isError: true,
      structuredContent: { error: { type: "not_found" } },
    });
  });

  test("without a built page there is neither the page nor the tool", async () => {
    const management = await startManagement();
    onTestFinished(() => management.stop());
    const viewer = await management.connect("viewer");
    expect(await viewer.listTools()).not.toContain("approvals_list");
    await expect(viewer.readText("ui://pallas/approvals")).rejects.toThrow("Resource not found");
  });
});
