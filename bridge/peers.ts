// The two ways of giving a session something to talk to: a process of its own, or its view of the shared one.
import { isJsonObject } from "../lib/mcp/json-rpc.ts";
import type { OpenPeer } from "./relay/peer.ts";
import type { SharedServer } from "./shared/shared-server.ts";
import { isId, renderMessage } from "./stdio/messages.ts";
import type { Starts } from "./stdio/starts.ts";

/** A process for each session, which gets the client's own `initialize`. */
export const openOwnPeer =
  (starts: Starts): OpenPeer =>
  async (initialize, events) => {
    const id = isId(initialize.id) ? initialize.id : "initialize";
    const { process, answer } = await starts.start({ id, text: renderMessage({ ...initialize, id }) }, events);
    return {
      answer,
      send: (message) => process.send(renderMessage(message)),
      unreadBytes: () => process.unreadBytes(),
      end: () => process.end(),
    };
  };

/** One for all, which was initialized by the bridge: a client is told what it answered, in the client's own revision. */
export const openSharedPeer =
  (shared: SharedServer): OpenPeer =>
  async ({ id, params }, events) => {
    const peer = await shared.open(events);
    const { result } = peer.answer.message;
    const spoken = isJsonObject(result) ? result["protocolVersion"] : undefined;
    const wanted = params?.["protocolVersion"];
    const isOlder =
      typeof wanted === "string" && typeof spoken === "string" && /^\d{4}-/.test(wanted) && wanted < spoken;
    const message = {
      ...(id !== undefined && { id }),
      result: { ...Object(result), ...(isOlder && { protocolVersion: wanted }) },
    };
    return { ...peer, answer: { message, text: renderMessage(message) } };
  };
