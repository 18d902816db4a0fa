// A gateway on a state file with agents of which some stream: built agents before a model that writes a long answer piece by piece. The
// page's conversations with them are what a person sees while the words come.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentManifest, instanceManifest } from "../../gateway/testing/resources.ts";
import { startModelMock } from "../models/model-mock.ts";
import { startAgent } from "./agent-under-test.ts";
import { createTokens, startGatewayUnderTest } from "./gateway-under-test.ts";
import { renderRunConfig } from "./tool-runs.ts";

export interface StreamingAgents extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly names: readonly string[];
}

const instance = "ouranos";
const namespace = "agents";

export interface StreamOptions {
  dir: string;
  names: readonly string[];
  /** Pieces of an answer, and how long lies between two. */
  pieces: number;
  pieceMs: number;
}

const sentence = "A paragraph with **strong words**, `code`, and a [link](https://example.com) in it. ";
/** A text such as models write: paragraphs, now and then a list. */
const pieceOf = (at: number): string => {
  if (at % 60 === 0) return `\n\n## Part ${at / 60 + 1}\n\n`;
  if (at % 20 === 0) return "\n\n- an item of a list\n- and another\n\n";
  return sentence.slice((at % 7) * 12, (at % 7) * 12 + 12);
};

/** One process serves them all: to the gateway each is an agent of its own. */
export async function startStreamingAgents({ dir, names, pieces, pieceMs }: StreamOptions): Promise<StreamingAgents> {
  const text = Array.from({ length: pieces }, (_, at) => pieceOf(at));
  const model = await startModelMock(() => ({ text, frameDelayMs: pieceMs }));
  const agent = await startAgent({ ...renderRunConfig(model.openaiUrl, "http://127.0.0.1:9/mcp"), servers: [] });
  const stop = async () => {
    await agent[Symbol.asyncDispose]();
    await model.close();
  };
  try {
    const resources = names.map((name) => ({
      ...agentManifest(name, { description: `Answers about ${name}` }),
      status: { url: `${agent.url}/mcp` },
    }));
    const endpoints = names.map((name) => ({
      namespace,
      instance,
      agent: name,
      pod: `${name}-1`,
      adminUrl: agent.adminUrl,
    }));
    await mkdir(dir, { recursive: true });
    const stateFile = join(dir, "state.json");
    await writeFile(stateFile, JSON.stringify({ schema: 2, resources: [instanceManifest(), ...resources], endpoints }));
    await writeFile(join(dir, "agents-token"), "none");
    const tokens = createTokens(1);
    const env = { PALLAS_LOCAL_STATE: stateFile, PALLAS_AGENTS_TOKEN: join(dir, "agents-token") };
    const gateway = await startGatewayUnderTest({ dir, instance, namespace, tokens, env });
    return {
      url: gateway.url,
      token: tokens[0] ?? "",
      names,
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
