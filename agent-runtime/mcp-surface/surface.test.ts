import { describe, expect, test } from "vitest";
import { stopAfterEach } from "../testing/cleanup.ts";
import { ask, connect2025 } from "../testing/client.ts";
import { createScriptedModels } from "../testing/scripted-models.ts";
import { startAgent } from "../testing/servers.ts";
import { testImage, writtenTestImage } from "../testing/images.ts";
import { maxImageBytes } from "../image-data.ts";
import { parseImages } from "./images.ts";

const started = stopAfterEach();

async function start(changes: { vision?: boolean } = {}) {
  const models = createScriptedModels([{ text: "seen" }], changes);
  const agent = await startAgent({}, { models });
  started.push(agent);
  return { models, agent };
}

describe("AGT-1 AGT-3 the tools", () => {
  test("send_message, the alias and get_health are listed, get_health exactly as clients know it", async () => {
    const { agent } = await start();
    const client = await connect2025(agent.mcpUrl);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["send_message", "tech_research", "get_health", "clear_history"]);
    expect(tools[2]).toEqual({
      name: "get_health",
      description: "Returns the health status of this agent and its downstream dependencies.",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
    });
    expect(tools[0]?.inputSchema).toEqual(tools[1]?.inputSchema);
    await client.close();
  });

  test("the alias answers like send_message, and an empty message reaches no model", async () => {
    const { agent, models } = await start();
    const client = await connect2025(agent.mcpUrl);
    const { content } = await client.callTool({ name: "tech_research", arguments: { message: "hi" } });
    expect(content).toEqual([{ type: "text", text: "seen" }]);
    expect(await ask(agent.mcpUrl, { message: " " })).toMatchObject({ isError: true });
    expect(models.requests).toHaveLength(1);
    await client.close();
  });
});

describe("AGT-2 images", () => {
  const png = writtenTestImage();

  test("go to the model as parts of the message", async () => {
    const { agent, models } = await start();
    await ask(agent.mcpUrl, { message: "look", images: [png, writtenTestImage("image/webp")] });
    expect(models.requests[0]?.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", ...testImage() },
          { type: "image", ...testImage("image/webp") },
        ],
      },
    ]);
  });

  test.each([
    ["a model without vision", png, false, "declared without vision"],
    ["base64 that is none", { ...png, data: "a$b=" }, true, "image 1 is not valid base64"],
    ["base64 without padding", { ...png, data: "aGVsbG8" }, true, "image 1 is not valid base64"],
    ["no data", { ...png, data: "" }, true, "image 1 is not valid base64"],
    ["a data: prefix", { ...png, data: "data:image/png;base64,aGVsbG8=" }, true, "without a data: prefix"],
    ["bytes of another type", { ...png, mime_type: "image/webp" }, true, "its bytes are image/png"],
    ["bytes of no image", { ...png, data: "aGVsbG8=" }, true, "its bytes are none of these types"],
    ["another type", { ...png, mime_type: "image/svg+xml" }, true, 'the type "image/svg+xml"'],
  ])("%s is a tool error and nothing is sent to the model", async (_what, image, vision, said) => {
    const { agent, models } = await start({ vision });
    const answer = await ask(agent.mcpUrl, { message: "look", images: [image] });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(said) });
    expect(models.requests).toEqual([]);
  });

  test("10 MiB decoded are taken, one byte more is refused", () => {
    const imageOf = (bytes: number) => [writtenTestImage("image/png", { bytes })];
    const model = { ref: "openai.x", vision: true, imageLimits: undefined };
    expect(parseImages(imageOf(maxImageBytes), model)).toHaveLength(1);
    expect(() => parseImages(imageOf(maxImageBytes + 1), model)).toThrow("10485761 bytes, expected at most 10485760");
  });

  test("20 MiB of base64 together are taken, one image more is refused", () => {
    const image = writtenTestImage("image/png", { bytes: (5 * 1024 * 1024 * 3) / 4 });
    const images = [image, image, image, image];
    const model = { ref: "openai.x", vision: true, imageLimits: undefined };
    expect(parseImages(images, model)).toHaveLength(4);
    const text = "the images have 20971564 bytes as base64 together, expected at most 20971520";
    expect(() => parseImages([...images, writtenTestImage()], model)).toThrow(text);
  });
});
