// The base of every error whose message is meant for the caller of send_message: one sentence a person can act on (AGT-7).
// Anything else that is thrown is logged and shown as an internal fault.

export class CallFault extends Error {
  override readonly name: string = "CallFault";
}
