// Words for what goes wrong between the page and the gateway.
import { fill } from "./fill.ts";

export const connectWords = {
  unreachable: "The gateway does not answer.",
  answered: (status: number) => fill("The gateway answers with HTTP status {status}.", { status: String(status) }),
  timeout: "The gateway took too long to answer.",
  cancelled: "The request was given up.",
  strange: "The gateway answers in a form that this page does not know. Reload the page; a newer one may be there.",
} as const;
