// A loop of Vercel's AI SDK that has the tools of an agent of ours by @ai-sdk/mcp, with a scripted model. Prints its last word.
import { createMCPClient } from "@ai-sdk/mcp";
import { generateText, isStepCount } from "ai";
import { scriptedModel } from "./scripted.mjs";

const client = await createMCPClient({ transport: { type: "http", url: process.argv[2] } });
const { text } = await generateText({
  model: scriptedModel,
  tools: await client.tools(),
  stopWhen: isStepCount(5),
  prompt: "Ask the agent who I am.",
});
process.stdout.write(`${text}\n`);
await client.close();
