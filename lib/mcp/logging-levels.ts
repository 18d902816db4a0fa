// How grave a log message of an MCP server is, from the least on.

export const loggingLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LoggingLevel = (typeof loggingLevels)[number];
