// What an agent holds of its tools' answers, over real connections.
import { expect, test } from "vitest";
import { createMemoryBudget } from "../lib/process/memory-budget.ts";
import { keepUntilEnd } from "./testing/cleanup.ts";
import { ask } from "./testing/client.ts";
import { testImage } from "./testing/images.ts";
import { renderTestServer } from "./testing/run-config.ts";
import { startAgent, startToolServer } from "./testing/servers.ts";

const keep = keepUntilEnd();

test("SEC-6 answers of tools that run beside each other fill one budget, which is empty once their calls are over", async () => {
  const [bytes, maxBytes] = [400_000, 1_000_000];
  const memory = createMemoryBudget(maxBytes);
  const image = testImage("image/png", { bytes: (bytes * 3) / 4 });
  const server = await keep(startToolServer({ large: () => ({ content: [{ type: "image", ...image }] }) }));
  const agent = await keep(startAgent({ servers: [renderTestServer("argos", server.url)] }, { memory }));
  const call = "***CALL_TOOL argos__large {}";
  // Large ones fill three quarters together.
  const both = await ask(agent.mcpUrl, { message: `${call}\n${call}` });
  expect(both.text).toContain("does not fit in memory");
  for (let count = 0; count < 3; count += 1) {
    expect(memory.heldBytes()).toBe(0);
    const { text } = await ask(agent.mcpUrl, { message: call });
    expect(text).not.toContain("does not fit");
  }
  expect(memory.heldBytes()).toBe(0);
});
