// Words of the approvals in a host of MCP Apps.
export const appWords = {
  hostTimeout: "The program that shows this page took too long to answer.",
  hostClosed: "The page was closed.",
  tooMany: "Too much is asked at once. Wait for what is on its way.",
  noHost: "This page is shown by programs that know MCP Apps. Decide in the dashboard of the gateway instead.",
  notStarted: "The program that shows this page does not answer: {reason}",
  strange: "The gateway answers in a form that this page does not know. Open it anew; a newer one may be there.",
  noResource: "There is no such call, or not for you.",
  nothingBrought: "The program that shows this page has brought no calls yet.",
  cannotDecide:
    "{host} lets this page decide nothing. Decide in the dashboard of the gateway, at /ui/, or with: pallas approve NAME",
  thisHost: "The program that shows this page",
  notRead: "The calls that wait could not be read: {reason}",
  refresh: "Look again",
} as const;
