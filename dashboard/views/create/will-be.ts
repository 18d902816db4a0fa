// What will be made, in one sentence. Pure.
import { createWords as words } from "../../words/create.ts";
import { fill, plural } from "../../words/fill.ts";
import { readNames, readPolicy, readText, type Draft } from "./draft.ts";

const maxNames = 3;

export function tellWillBe({ name, spec }: Draft, instance: string): string {
  const say = words.willBe;
  const [model, policy] = [readText(spec, "model"), readPolicy(spec)];
  const [servers, agents] = [readNames(spec, "servers"), readNames(spec, "agents")];
  const parts = [
    name === "" ? fill(say.noName, { instance }) : fill(say.agent, { name, instance }),
    model === "" ? say.noModel : fill(say.model, { model }),
    servers.length === 0 ? say.noServers : fill(say.servers, { names: tellNames(servers) }),
    ...(agents.length === 0 ? [] : [fill(say.agents, { names: tellNames(agents) })]),
    policy === "" ? say.noPolicy : fill(say.policy, { name: policy }),
  ];
  return `${words.will} ${parts.join(", ")}.`;
}

function tellNames(all: readonly string[]): string {
  const names = all.slice(0, maxNames).join(", ");
  return all.length <= maxNames ? names : plural(words.andMore, all.length - maxNames, { names });
}
