// What a client has said that a fresh process must be told before it can take the place of another: its `initialize`, which log
// level it wants, and what it has subscribed to. Its other state a process loses with itself.
import { isJsonObject } from "../../lib/mcp/json-rpc.ts";
import type { Message, RpcId } from "../stdio/messages.ts";

const maxSubscriptions = 1_024;
/** By what a client says that it answers a server's request. */
const capabilityOf: Readonly<Record<string, string>> = {
  "sampling/createMessage": "sampling",
  "elicitation/create": "elicitation",
  "roots/list": "roots",
};

export class ClientState {
  readonly initialize: Message;
  readonly #subscriptions = new Set<string>();
  #level: unknown;
  #isInitialized = false;
  #count = 0;

  constructor(initialize: Message) {
    this.initialize = initialize;
  }

  /** Looks at what the client sends. */
  note({ method, params }: Message): void {
    const uri = params?.["uri"];
    if (method === "notifications/initialized") {
      this.#isInitialized = true;
    } else if (method === "logging/setLevel") {
      this.#level = params?.["level"];
    } else if (method === "resources/unsubscribe" && typeof uri === "string") {
      this.#subscriptions.delete(uri);
    } else if (method === "resources/subscribe" && typeof uri === "string") {
      if (this.#subscriptions.size < maxSubscriptions) this.#subscriptions.add(uri);
    }
  }

  canAnswer(method: string): boolean {
    const capability = capabilityOf[method];
    const capabilities = this.initialize.params?.["capabilities"];
    return capability === undefined || (isJsonObject(capabilities) && isJsonObject(capabilities[capability]));
  }

  renderAgain(): Message {
    return { ...this.initialize, id: this.#mintId() };
  }

  /** For a process that has answered that. Nobody waits for what it answers to these. */
  renderState(): Message[] {
    return [
      ...(this.#isInitialized ? [{ method: "notifications/initialized" }] : []),
      ...(this.#level === undefined
        ? []
        : [{ id: this.#mintId(), method: "logging/setLevel", params: { level: this.#level } }]),
      ...[...this.#subscriptions].map((uri) => ({
        id: this.#mintId(),
        method: "resources/subscribe",
        params: { uri },
      })),
    ];
  }

  /** No client's. */
  #mintId(): RpcId {
    this.#count += 1;
    return `pallas-bridge-${this.#count}`;
  }
}
