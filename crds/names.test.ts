import { describe, expect, it } from "vitest";
import { pallasAgent } from "./agent.ts";
import { pallasInstance } from "./instance.ts";
import {
  agentChildren,
  historyPromptName,
  maxNameChars,
  mcpName,
  registryName,
  serviceUrl,
  slug,
  titleFromName,
} from "./names.ts";

const longest = "a".repeat(maxNameChars);
const dnsLabel = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

describe("OPR-1 names of children", () => {
  it("the longest name still gives children that are DNS labels", () => {
    const { runConfig, ...others } = agentChildren(longest);
    for (const name of [...Object.values(others), registryName(longest)]) expect(name).toMatch(dnsLabel);
    // A ConfigMap may have a longer one.
    expect(runConfig("0123456789abcdef")).toMatch(/^[a-z]([-a-z0-9]{0,251}[a-z0-9])?$/);
  });

  it("no agent has the name of a registry", () => {
    const rules = pallasAgent.nameRules;
    expect(rules.every(({ holds }) => holds("ouranos"))).toBe(true);
    expect(rules.every(({ holds }) => holds(registryName("ouranos")))).toBe(false);
  });
});

describe("CFG-5 names of resources", () => {
  const allowed = (rules: { holds: (name: string) => boolean }[], name: string) =>
    rules.every(({ holds }) => holds(name));

  it.each([pallasAgent, pallasInstance])("$kind: at most 50 characters, starting with a letter", ({ nameRules }) => {
    expect([longest, `${longest}a`, "a", "9a", "a-", "A", "a.b", ""].map((name) => allowed(nameRules, name))).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("an agent cannot take the name of what every agent offers", () => {
    const names = ["send-message", "get-health", "history", "my-history"];
    expect(names.map((name) => allowed(pallasAgent.nameRules, name))).toEqual([false, false, false, true]);
  });
});

describe("AGT-1 CAT-2 CAT-3 spellings of a name", () => {
  it("tools and prompts use underscores, the catalogue hyphens, titles words", () => {
    expect(mcpName("tech-research-2")).toBe("tech_research_2");
    expect(historyPromptName("tech-research")).toBe("tech_research_history");
    expect(slug("tech_research")).toBe("tech-research");
    expect(["tech-research", "a--b_c", "x", "9lives"].map(titleFromName)).toEqual([
      "Tech Research",
      "A B C",
      "X",
      "9lives",
    ]);
  });

  it("a Service is named with its namespace, so that callers elsewhere reach it", () => {
    expect(serviceUrl("research", "agents", 8080)).toBe("http://research.agents.svc:8080");
  });
});
