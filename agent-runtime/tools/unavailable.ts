// What the model is told of servers whose tools it must do without, so that it neither waits for them nor makes up what they
// would have said.

/** A line for the system prompt; none where all servers lend their tools. */
export const renderUnavailable = (servers: readonly string[]): string[] =>
  servers.length === 0
    ? []
    : [
        `Tools of ${servers.join(", ")} are unavailable now. Do without them, and say so where your answer misses them.`,
      ];
