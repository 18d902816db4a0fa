// The size of a benchmark run, from environment variables, so that one can try a small one first.
import * as z from "zod";
import { readEnvironment } from "../../lib/process/environment.ts";

const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);

export const benchEnvironment = readEnvironment(
  z.object({
    BENCH_AGENTS: count(2_000).describe("agents in the namespace"),
    BENCH_REST_SECONDS: count(600).describe("how long the operator is watched doing nothing"),
    BENCH_EDIT_SECONDS: count(60).describe("how long agents are edited"),
    BENCH_EDITS_PER_SECOND: count(10).describe("edits a second"),
    BENCH_TURNS: count(10).describe(
      "turns in which the operator and the bare client each get an equal part of the agents",
    ),
    BENCH_CATALOGUE_AGENTS: count(1_000).describe("agents in the catalogue"),
    BENCH_CHANGE_SECONDS: count(30).describe("how long agents in the catalogue are edited"),
    BENCH_HEAP_AGENTS: count(10_000).describe("agents of the registry whose heap is looked at"),
    BENCH_POD_STARTS: count(20).describe("agents that are started as pods, one at a time"),
    BENCH_PODS: count(50).describe("agents that are started as pods at once"),
    BENCH_SERVER_STARTS: count(50).describe("tool servers that are started, one at a time"),
    BENCH_NODE_FLAGS: z
      .string()
      .default("")
      .describe("flags for the Node of the program under test, separated by spaces, after those of its image"),
    BENCH_TOOLHIVE: z.enum(["0", "1"]).default("0").describe("1 also measures the operator of ToolHive; needs Go"),
    BENCH_ROUNDS: count(7).describe("rounds in which each server under test has its turn"),
    BENCH_CALLS: count(1_000).describe("calls to an agent in one turn"),
    BENCH_PYTHON: z
      .string()
      .optional()
      .describe("Python ≥ 3.13, to install fast-agent once; default: one of this machine"),
    BENCH_DIST: z.string().optional().describe("folder of the built programs, to compare builds; default dist/"),
  }),
  process.env,
);
