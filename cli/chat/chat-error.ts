// What keeps a conversation from going on, in a sentence that says what to do; the program ends with 1.

export class ChatError extends Error {
  override readonly name = "ChatError";
}
