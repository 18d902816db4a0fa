// A Mastra agent that has the tools of an agent of ours by @mastra/mcp, with a scripted model. Prints its last word.
import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";
import { scriptedModel } from "./scripted.mjs";

const client = new MCPClient({ servers: { pallas: { url: new URL(process.argv[2]) } } });
const agent = new Agent({
  id: "host",
  name: "host",
  instructions: "You ask another agent.",
  model: scriptedModel,
  tools: await client.listTools(),
});
const { text } = await agent.generate("Ask the agent who I am.");
process.stdout.write(`${text}\n`);
await client.disconnect();
