// Server cards of the directory, made by chance as nobody would write them, through its HTTP routes and back.
import { describe, expect, it } from "vitest";
import { createSplicedCard } from "../../gateway/directory/spliced-card.ts";
import { createTestDirectory } from "../../gateway/directory/testing/directory.ts";
import { createRandom } from "../integration/seeded-random.ts";
import { renderRandomCard } from "./random-cards.ts";

describe("DIR-4 1,200 cards as nobody would write them", { timeout: 120_000 }, () => {
  it("come back byte for byte, from POST, by id and in lists", async () => {
    const { ask, logs } = createTestDirectory();
    const random = createRandom(20_261_123);
    const bytesOf = async (response: Promise<Response>) => Buffer.from(await (await response).arrayBuffer());
    for (let number = 0; number < 1_200; number += 1) {
      // All by one name: a list holds the one card, and each takes the place of the one before.
      const card = renderRandomCard(random, "Weather", number % 3 === 0);
      const posted = await ask("POST", "/mcp/servers", `{"x":[{"serverCard":1}],"serverCard": ${card} }`);
      const location = posted.headers.get("location") ?? "";
      const answer = await bytesOf(Promise.resolve(posted));
      const { id, isLive } = JSON.parse(answer.toString());
      expect(isLive, JSON.stringify(logs) + card).toBe(true);
      const isOurs = number % 3 === 0;
      const withoutFacts = answer.toString().replace(`,"id":"${id}","isLive":true`, "");
      expect(isOurs || withoutFacts === card, card).toBe(true);
      expect(answer).toEqual(Buffer.from(createSplicedCard(card)({ id, isLive: true })));
      expect(await bytesOf(ask("GET", location, undefined, "viewer"))).toEqual(answer);
      const list = await bytesOf(ask("GET", "/mcp/servers", undefined, "viewer"));
      expect(list.subarray('{"items":['.length, '{"items":['.length + answer.length)).toEqual(answer);
    }
  });
});
