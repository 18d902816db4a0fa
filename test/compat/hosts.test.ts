// Models that other people's agent frameworks host go on with a conversation with an agent of ours, by what they are shown.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentProcess } from "../../agent-runtime/testing/process.ts";
import { startBuiltAgent } from "../integration/agents/built-agent.ts";
import { startModelMock, type ModelMock } from "../models/model-mock.ts";
import { openEnvironment } from "../python/environment.ts";
import { findInterpreter, leastMinor } from "../python/interpreter.ts";
import { needsPresent } from "../tools/needs.ts";
import { readUserTexts } from "./user-texts.ts";

const run = promisify(execFile);
const python = await findInterpreter(leastMinor);
const hostTimeoutMs = 60_000;

let model: ModelMock;
let agent: AgentProcess;

/** By framework: what it is installed with. */
const hosts = [
  ["langchain", "langchain"],
  ["openai_agents", "hosts"],
  ["pydantic_ai", "hosts"],
] as const;

describe(
  "AGT-13 a model that reads only what it is shown",
  needsPresent("missing" in python ? python.missing : undefined),
  () => {
    beforeAll(async () => {
      model = await startModelMock(({ body }) => ({ text: readUserTexts(body).join(", ") }));
      agent = await startBuiltAgent(model, {});
    });

    afterAll(async () => {
      await agent?.stop();
      await model?.close();
    });

    test.each(hosts)(
      "goes on with its conversation in %s",
      async (framework, requirements) => {
        if ("missing" in python) throw new Error(python.missing);
        const interpreter = await openEnvironment(python, requirements);
        const script = join(import.meta.dirname, "hosts", `${framework}_host.py`);
        const { stdout } = await run(interpreter, [script, `${agent.url}/mcp`], { timeout: hostTimeoutMs });
        expect(stdout.trim()).toContain("I am Ada, who am I?");
      },
      600_000,
    );
  },
);
