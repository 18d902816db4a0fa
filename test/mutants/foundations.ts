// Mistakes in what every program stands on: who is let in, what is logged, how much is held, and the names and units that
// programs agree on.
import type { Mutant } from "./mutant.ts";

const processMutants: readonly Mutant[] = [
  {
    file: "lib/process/clock.ts",
    find: "Math.min(delayMs, maxTimerMs)",
    replace: "delayMs",
    breaks: "a wait of a month is over at once",
  },
  {
    file: "lib/process/clock.ts",
    find: "timer.cancel();\n      reject(signal?.reason);",
    replace: "reject(signal?.reason);",
    breaks: "a wait that was given up keeps the process alive",
  },
  {
    file: "lib/process/entity-tag.ts",
    find: 'known.replace(/^W\\//, "") === etag',
    replace: "known === etag",
    breaks: "who reads through a proxy that weakens tags gets everything again",
  },
  {
    file: "lib/process/environment.ts",
    find: 'value !== undefined && value !== ""',
    replace: "value !== undefined",
    breaks: "a variable that is set to nothing counts as set",
  },
  {
    file: "lib/process/environment.ts",
    find: "secret === true || secretName.test(name)",
    replace: "secret === true",
    breaks: "a faulty key is printed at the start",
  },
  {
    file: "lib/process/error-fields.ts",
    find: '.replace(/\\b(bearer|basic)\\s+[\\w.~+/=-]{8,}/gi, "$1 [redacted]")',
    replace: "",
    breaks: "a bearer token in an error is logged",
  },
  {
    file: "lib/process/error-fields.ts",
    find: '.replace(/\\/\\/[^/\\s@]+@/g, "//[redacted]@")',
    replace: "",
    breaks: "a password in a URL is logged",
  },
  {
    file: "lib/process/error-fields.ts",
    find: "if (depth >= maxCauseDepth) return fields;",
    replace: "",
    breaks: "an error that is its own cause ends the process",
  },
  {
    file: "lib/process/event-stream.ts",
    find: "bytes <= maxGatheredBytes",
    replace: "bytes <= Infinity",
    breaks: "a long stream is held in memory before its first event is sent",
  },
  {
    file: "lib/process/event-stream.ts",
    find: "return reader.cancel(reason);",
    replace: "return undefined;",
    breaks: "a client that goes away leaves its call running",
  },
  {
    file: "lib/process/http-guard.ts",
    find: "if (!isKnown && !publicRead) ",
    replace: "if (!isKnown && publicRead) ",
    breaks: "a foreign page calls agents",
  },
  {
    file: "lib/process/http-guard.ts",
    find: "return target !== undefined && hosts.has(target);",
    replace: "return target !== undefined;",
    breaks: "an absolute request target names a host that is not allowed",
  },
  {
    file: "lib/process/http-guard.ts",
    find: "allowedHeaders.has(name) || /^mcp-[a-z0-9-]+$/.test(name)",
    replace: 'name !== ""',
    breaks: "a preflight is granted whatever header it asks for",
  },
  {
    file: "lib/process/http-guard.ts",
    find: 'name.endsWith(".") ? name.slice(0, -1) : name',
    replace: "name",
    breaks: "a host that is written with its final dot is refused",
  },
  {
    file: "lib/process/http-connections.ts",
    find: "if (sockets.size >= maxConnections) {",
    replace: "if (sockets.size > maxConnections) {",
    breaks: "one connection more than the limit is kept",
  },
  {
    file: "lib/process/http-connections.ts",
    find: "const closed = longestIdle ?? socket;",
    replace: "const closed = socket;",
    breaks: "who opens connections and asks nothing keeps everybody out",
  },
  {
    file: "lib/process/http-connections.ts",
    find: "if (draining) outgoing.shouldKeepAlive = false;",
    replace: "",
    breaks: "clients keep connections to a server that is about to end",
  },
  {
    file: "lib/process/http-server.ts",
    find: 'server.on("error", (error) => options.log.error({ err: error }, "listening socket failed"));',
    replace: "",
    breaks: "a machine without file descriptors ends the program",
  },
  {
    file: "lib/process/json-structure.ts",
    find: "if (state.structure > maxStructure)",
    replace: "if (state.structure > maxStructure + 1)",
    breaks: "a body may have one structural character more than is allowed",
  },
  {
    file: "lib/process/json-structure.ts",
    find: "else if (state.depth > maxDepth)",
    replace: "else if (state.depth > maxDepth + 1)",
    breaks: "a body may be nested one deeper than is allowed",
  },
  {
    file: "lib/process/json-structure.ts",
    find: "isEscaped = kind === backslash && !isEscaped;",
    replace: "isEscaped = kind === backslash;",
    breaks: "a bomb behind an escaped backslash is not counted",
  },
  {
    file: "lib/process/log.ts",
    find: "secretFields.has(key.toLowerCase())",
    replace: "secretFields.has(key)",
    breaks: "an Authorization header is logged",
  },
  {
    file: "lib/process/log.ts",
    find: "value instanceof Error ? renderError(value) : value",
    replace: "value",
    breaks: "a library's error is logged with the request that hangs on it",
  },
  {
    file: "lib/process/memory-budget.ts",
    find: "if (!isAlone && totalBytes + bytes > ceilingBytes)",
    replace: "if (totalBytes + bytes > ceilingBytes)",
    breaks: "a body that is alone is refused for its size",
  },
  {
    file: "lib/process/memory-budget.ts",
    find: "ownBytes + bytes <= smallHolderBytes ? maxBytes : maxBytes * largeShare",
    replace: "maxBytes",
    breaks: "large bodies leave no room for small ones",
  },
  {
    file: "lib/process/memory-budget.ts",
    find: "Math.max(0, ownBytes - bytes)",
    replace: "ownBytes - bytes",
    breaks: "a holder that gives back more than it has fills the budget",
  },
  {
    file: "lib/process/metrics.ts",
    find: "setTimeout(() => silence.resolve(`no answer within ${probeTimeoutMs} ms`), probeTimeoutMs)",
    replace: "setTimeout(() => undefined, probeTimeoutMs)",
    breaks: "a probe that hangs is answered never, and not with 503",
  },
  {
    file: "lib/process/shutdown.ts",
    find: "let next = steps.pop(); next !== undefined; next = steps.pop()",
    replace: "let next = steps.shift(); next !== undefined; next = steps.shift()",
    breaks: "a program closes first what it opened first",
  },
  {
    file: "lib/process/shutdown.ts",
    find: "canHurry = next.endsEarly && !hurry.signal.aborted;",
    replace: "canHurry = !hurry.signal.aborted;",
    breaks: "a second Ctrl-C waits for a step that cannot be hurried",
  },
  {
    file: "lib/process/shutdown.ts",
    find: "deadline.abort(error);\n    late.resolve(error);",
    replace: "deadline.abort(error);",
    breaks: "a step that hangs keeps the program from ending",
  },
  {
    file: "lib/process/end-slashes.ts",
    find: "(?<!\\/)\\/+$",
    replace: "(?<!\\/)\\/$",
    breaks: "a URL with two slashes at its end leads nowhere",
  },
];

const crdMutants: readonly Mutant[] = [
  {
    file: "crds/units.ts",
    find: "totalMicroseconds += Math.round(Number(amount) * 1000)",
    replace: "totalMicroseconds = Math.round(Number(amount) * 1000)",
    breaks: "1h30m are half an hour",
  },
  {
    file: "crds/units.ts",
    find: "ms > 0 && ms <= parseDurationMs(maximum)",
    replace: "ms > 0 && ms < parseDurationMs(maximum)",
    breaks: "the longest duration is refused here and taken by the API server",
  },
  {
    file: "crds/units.ts",
    find: "const power = finestPower - fraction.length - (isThousandths ? 3 : 0);",
    replace: "const power = finestPower - fraction.length;",
    breaks: "a request of 500m counts as more than a limit of 1",
  },
  {
    file: "crds/units.ts",
    find: "Math.ceil(Number(amount) * factor)",
    replace: "Math.floor(Number(amount) * factor)",
    breaks: "a size of less than a byte is none",
  },
  {
    file: "crds/names.ts",
    find: 'agent.replaceAll("-", "_")',
    replace: 'agent.replace("-", "_")',
    breaks: "tools of agents with two hyphens have another name than clients expect",
  },
  {
    file: "crds/names.ts",
    find: 'agent.replaceAll("_", "-")',
    replace: "agent",
    breaks: "an agent with an underscore is listed under a name that clients cannot find",
  },
  {
    file: "crds/names.ts",
    find: '.filter((word) => word !== "")',
    replace: ".filter(Boolean).slice(0, 1)",
    breaks: "a title has the first word of a name only",
  },
  {
    file: "crds/tool-pattern.ts",
    find: "return tool.length - last.length >= at && tool.endsWith(last);",
    replace: "return tool.endsWith(last);",
    breaks: "a pattern that overlaps itself allows tools that it does not name",
  },
  {
    file: "crds/tool-pattern.ts",
    find: "if (last === undefined) return tool === first;",
    replace: "if (last === undefined) return tool.startsWith(first);",
    breaks: "a tool whose name begins with an allowed one is allowed",
  },
  {
    file: "crds/references.ts",
    find: "(entry.value === undefined) !== (entry.valueFrom === undefined)",
    replace: "true",
    breaks: "a header with two values is accepted here and refused by the API server",
  },
  {
    file: "crds/fields.ts",
    find: "return count === 2;",
    replace: "return count === 3;",
    breaks: "two entries of one name are accepted",
  },
  {
    file: "crds/did-you-mean.ts",
    find: "word.length <= 3 ? 1 : 2",
    replace: "2",
    breaks: "a short word is said to be meant as any other",
  },
  {
    file: "crds/did-you-mean.ts",
    find: "if (found < bestDistance)",
    replace: "if (found <= bestDistance)",
    breaks: "the last of the similar words is proposed, and not the most similar",
  },
  {
    file: "crds/object-meta.ts",
    find: "totalBytes(entries) <= maxAnnotationBytes",
    replace: "totalBytes(entries) <= maxAnnotationBytes + 1",
    breaks: "annotations that the API server refuses pass the check",
  },
  {
    file: "crds/object-meta.ts",
    find: 'key.lastIndexOf("/") <= maxDomainChars;',
    replace: 'key.lastIndexOf("/") <= 999;',
    breaks: "a label that the API server refuses passes the check",
  },
  {
    file: "crds/health.ts",
    find: "if (data.agent !== agent)",
    replace: 'if (data.agent === "")',
    breaks: "an agent is shown with the health of another that has its address now",
  },
  {
    file: "crds/reference-field.ts",
    find: 'return isDuration(field) ? "duration" : (field.type ?? "any");',
    replace: 'return field.type ?? "any";',
    breaks: "the reference calls a duration a text",
  },
];

export const foundationMutants: readonly Mutant[] = [...processMutants, ...crdMutants];
