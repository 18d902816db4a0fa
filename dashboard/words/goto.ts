// Words of "Go to".
export const goToWords = {
  title: "Go to",
  field: "Go to an agent, server, tool, waiting call or view",
  hits: "Places",
  kinds: { call: "waits", view: "view", agent: "agent", server: "server", tool: "tool" },
  callName: "{server} / {tool}",
  callAbout: "{agent}, {left} left",
  callAboutGateway: "{left} left",
  none: "Nothing is called '{query}', or not for you.",
  hint: "Enter opens it, arrows choose, Esc closes",
} as const;
