// A source whose lists and state a test sets by hand.
import type { PallasAgent } from "../../crds/agent.ts";
import type { PallasInstance } from "../../crds/instance.ts";
import type { PallasServer } from "../../crds/server.ts";
import type { AgentEndpoint } from "../../crds/local-state.ts";
import { Listeners, type ResourceSource, type SourceState } from "../source/source.ts";

interface Contents {
  state: SourceState;
  instances: readonly PallasInstance[];
  agents: readonly PallasAgent[];
  servers: readonly PallasServer[];
  endpoints: readonly AgentEndpoint[];
  unreadable: readonly string[];
}

export class MemorySource implements ResourceSource {
  readonly #listeners = new Listeners();
  #contents: Contents = {
    state: { phase: "live", since: Date.UTC(2026, 10, 21) },
    instances: [],
    agents: [],
    servers: [],
    endpoints: [],
    unreadable: [],
  };

  constructor(contents: Partial<Contents> = {}) {
    this.set(contents);
  }

  /** Changes what is given and tells the listeners. */
  set(contents: Partial<Contents>): void {
    this.#contents = { ...this.#contents, ...contents };
    this.#listeners.notify();
  }

  state = () => this.#contents.state;
  endpointState = () => this.#contents.state;
  instances = () => this.#contents.instances;
  agents = () => this.#contents.agents;
  servers = () => this.#contents.servers;
  endpoints = () => this.#contents.endpoints;
  unreadable = () => this.#contents.unreadable;
  onChange = (listener: () => void) => this.#listeners.add(listener);
  start(): void {}
  async stop(): Promise<void> {}
}
