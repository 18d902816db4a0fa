// A fetch that notes every JSON-RPC message of the answers before its caller can read them, whether an answer is one JSON body
// or a stream of events.

export interface Wire {
  /** In the order of their arrival. */
  messages: unknown[];
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
}

export function createWire(): Wire {
  const messages: unknown[] = [];
  return {
    messages,
    async fetch(url, init) {
      const response = await fetch(url, init);
      if (response.body === null) return response;
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      const noted = response.body.pipeThrough(isStream ? noteEvents(messages) : noteBody(messages));
      return new Response(noted, { status: response.status, headers: response.headers });
    },
  };
}

function noteEvents(messages: unknown[]): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice("data:".length).trim());
      // An event without data only tells the client from where to resume.
      for (const text of data) if (text !== "") messages.push(JSON.parse(text));
      controller.enqueue(chunk);
    },
  });
}

function noteBody(messages: unknown[]): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  let text = "";
  return new TransformStream({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
    flush() {
      if (text !== "") messages.push(JSON.parse(text));
    },
  });
}
