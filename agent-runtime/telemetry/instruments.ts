// The metrics of the GenAI and MCP conventions. Labels are those of the spans that have few values.
import type { Attributes, Meter } from "@opentelemetry/api";
import { durationBuckets } from "../../crds/metric-names.ts";
import type { TokenUsage } from "../model/types.ts";
import { metrics } from "./conventions.ts";
import { renderConventionalUsage } from "./usage.ts";

const countBuckets = [1, 2, 3, 5, 8, 13, 21, 34, 55, 100, 200];

export interface Instruments {
  served(seconds: number, labels: Attributes): void;
  agent(seconds: number, labels: Attributes, counts: { turns: number; toolCalls: number }): void;
  /** `usage` is there when the model answered. */
  inference(seconds: number, labels: Attributes, usage: TokenUsage | undefined): void;
  tool(seconds: number, labels: Attributes): void;
}

export function createInstruments(meter: Meter): Instruments {
  const histogram = (name: string, description: string, unit: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { description, unit, advice: { explicitBucketBoundaries } });
  const seconds = (name: string, description: string) => histogram(name, description, "s", durationBuckets);
  const tokens = (name: string, description: string) => meter.createCounter(name, { description, unit: "{token}" });

  const served = seconds(metrics.servedSeconds, "MCP requests, from receipt to result.");
  const agentSeconds = seconds(metrics.agentSeconds, "Runs of the agent.");
  const inferenceCalls = histogram(metrics.agentInferenceCalls, "Model turns of a run.", "{call}", countBuckets);
  const toolCalls = histogram(metrics.agentToolCalls, "Tool calls of a run.", "{call}", countBuckets);
  const inferenceSeconds = seconds(metrics.inferenceSeconds, "Model turns, retries and fallbacks included.");
  const toolSeconds = seconds(metrics.toolSeconds, "Tool calls.");
  const input = tokens(metrics.inputTokens, "Input tokens, cached ones included.");
  const output = tokens(metrics.outputTokens, "Output tokens, reasoning included.");
  const cacheRead = tokens(metrics.cacheReadTokens, "Input tokens read from a cache.");
  const cacheWrite = tokens(metrics.cacheWriteTokens, "Input tokens written to a cache.");
  const reasoning = tokens(metrics.reasoningTokens, "Output tokens of reasoning.");

  return {
    served: (duration, labels) => served.record(duration, labels),
    agent(duration, labels, counts) {
      agentSeconds.record(duration, labels);
      inferenceCalls.record(counts.turns, labels);
      toolCalls.record(counts.toolCalls, labels);
    },
    inference(duration, labels, usage) {
      inferenceSeconds.record(duration, labels);
      if (usage === undefined) return;
      const counted = renderConventionalUsage(usage);
      input.add(counted.input, labels);
      output.add(counted.output, labels);
      if (counted.cacheRead > 0) cacheRead.add(counted.cacheRead, labels);
      if (counted.cacheWrite !== undefined && counted.cacheWrite > 0) cacheWrite.add(counted.cacheWrite, labels);
      if (counted.reasoning !== undefined) reasoning.add(counted.reasoning, labels);
    },
    tool: (duration, labels) => toolSeconds.record(duration, labels),
  };
}
