// Bounds and credentials of the fetch that client libraries are given.
import { afterEach, describe, expect, test } from "vitest";
import { createProviderFetch, readText } from "./http.ts";
import { startModelMock, type ModelMock } from "../../test/models/model-mock.ts";

let server: ModelMock;
afterEach(() => server.close());

describe("SEC-6 an answer is bounded", () => {
  test("at the limit it is read, one byte more it is refused", async () => {
    const body = "x".repeat(1_000);
    server = await startModelMock([], { lists: { body } });
    const get = async (maxBytes: number) =>
      (
        await createProviderFetch({ fetch, headers: {}, onBytes: () => undefined, maxBytes })(
          `${server.openaiUrl}/models`,
        )
      ).text();
    await expect(get(1_000)).resolves.toBe(body);
    await expect(get(999)).rejects.toThrow("larger than 999 bytes");
    const whole = await fetch(`${server.openaiUrl}/models`);
    await expect(readText(whole, 999)).rejects.toThrow("larger than 999 bytes");
  });
});

test("BRR-3 credentials that a library sets are replaced by ours", async () => {
  server = await startModelMock([], { models: {} });
  const ours = createProviderFetch({ fetch, headers: { authorization: "Bearer ours" }, onBytes: () => undefined });
  await ours(`${server.openaiUrl}/models`, {
    headers: { "x-api-key": "theirs", Authorization: "Bearer theirs", "X-Kept": "1" },
  });
  expect(server.listRequests[0]?.headers).toMatchObject({ authorization: "Bearer ours", "x-kept": "1" });
  expect(server.listRequests[0]?.headers["x-api-key"]).toBeUndefined();
});
