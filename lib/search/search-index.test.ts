import { describe, expect, it } from "vitest";
import { SearchIndex } from "./search-index.ts";
import type { SearchableTool } from "./searchable.ts";

function tool(name: string, description: string, ...parameters: string[]): SearchableTool {
  return { name, description, parameters: parameters.map((one) => ({ name: one })) };
}

const github = [
  tool("create_issue", "Open a new issue in a repository", "title", "body"),
  tool("list_issues", "List the issues of a repository", "state"),
  tool("merge_pull_request", "Merge a pull request", "number"),
];
const weather = [tool("get_forecast", "The weather of the next days at a place", "city", "days")];

async function createIndex() {
  const index = new SearchIndex();
  await Promise.all([index.put({ name: "github" }, github), index.put({ name: "weather" }, weather)]);
  return index;
}

const names = ({ matches }: ReturnType<SearchIndex["search"]>) =>
  matches.map(({ server, tool: name }) => `${server}/${name}`);

describe("DSC-3 a search", () => {
  it("finds the tool by words of its name, description and parameters", async () => {
    const index = await createIndex();
    expect(index.size).toBe(4);
    expect(names(index.search("please open an issue", { limit: 3 }))[0]).toBe("github/create_issue");
    expect(names(index.search("forecasts for a city", { limit: 1 }))).toEqual(["weather/get_forecast"]);
  });

  it("answers nothing where no word is known", async () => {
    const index = await createIndex();
    expect(index.search("zzz", { limit: 3 })).toEqual({ matches: [], confidence: "none", score: 0 });
  });

  it("answers what a caller may see as if there was nothing else", async () => {
    const index = await createIndex();
    const accept = (server: string) => server === "weather";
    expect(names(index.search("open issue city", { limit: 5, accept }))).toEqual(["weather/get_forecast"]);
  });
});

describe("a put", () => {
  it("replaces the server's tools at once when done", async () => {
    const index = await createIndex();
    const done = index.put({ name: "github" }, [tool("close_issue", "Close an issue")]);
    expect(names(index.search("open an issue", { limit: 1 }))).toEqual(["github/create_issue"]);
    await done;
    expect(names(index.search("issue", { limit: 9 }))).toEqual(["github/close_issue"]);
    expect(index.size).toBe(2);
  });

  it("of a server that is removed meanwhile does nothing", async () => {
    const index = await createIndex();
    const done = index.put({ name: "github" }, github);
    index.remove("github");
    await done;
    expect(index.size).toBe(1);
    expect(index.search("issue", { limit: 9 }).matches).toEqual([]);
  });
});

describe("did you mean", () => {
  it("the server that is most alike, where several have the tool", async () => {
    const index = await createIndex();
    await index.put({ name: "gitlab" }, github);
    expect(index.suggest("gitlb__list_issues", { limit: 1 })[0]).toMatchObject({ server: "gitlab" });
    expect(index.suggest("githb__list_issues", { limit: 1 })[0]).toMatchObject({ server: "github" });
  });

  it.each(["list_isues", "github__listIssues", "mcp__github__list_issue", "issues_list"])("%s", async (name) => {
    const index = await createIndex();
    expect(index.suggest(name, { limit: 3 })[0]).toMatchObject({ server: "github", tool: "list_issues" });
  });

  it("is made of names that a caller may see as if there was nothing else", async () => {
    const index = await createIndex();
    const alone = index.suggest("list_isues_here", { limit: 3 });
    // Its words are those that are asked for, each of them.
    await index.put({ name: "hidden" }, [tool("list_isues_here_now", "Hidden")]);
    const accept = (server: string) => server !== "hidden";
    expect(index.suggest("list_isues_here", { limit: 1 })[0]).toMatchObject({ server: "hidden" });
    expect(index.suggest("list_isues_here", { limit: 3, accept }).map(({ tool: name }) => name)).toEqual(
      alone.map(({ tool: name }) => name),
    );
    expect(index.suggest("list_isues_here", { limit: 1, accept })[0]?.similarity).toBeCloseTo(
      alone[0]?.similarity ?? 0,
      1,
    );
  });
});
