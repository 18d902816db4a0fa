// Watches the body of a response that is on its way to a client. It changes neither bytes nor headers.

interface BodyObserver {
  /** Called exactly once: when the body has been read to its end, has failed, or its reader went away. */
  onEnd: () => void;
  /** Called when the reader has taken something and asks for more. */
  onTaken?: () => void;
}

export interface ObservedBody {
  response: Response;
  /** Whether the reader has taken all that there was, and waits. */
  isTaken(): boolean;
  /** Ends the body with an error; what was not taken is dropped. */
  fail(reason: Error): void;
}

/** Without a body, `onEnd` runs at once. */
export function observeBodyEnd(response: Response, onEnd: () => void): Response {
  return observeBody(response, { onEnd }).response;
}

/** Without a body, `onEnd` runs at once. */
export function observeBody(response: Response, { onEnd, onTaken }: BodyObserver): ObservedBody {
  if (response.body === null) {
    onEnd();
    return { response, isTaken: () => false, fail: () => undefined };
  }
  const reader = response.body.getReader();
  let isWaiting = false;
  let hasFailed = false;
  let sink: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      sink = controller;
    },
    async pull(controller) {
      isWaiting = true;
      onTaken?.();
      try {
        const { done, value } = await reader.read();
        isWaiting = false;
        if (hasFailed) return;
        if (done) {
          controller.close();
          onEnd();
        } else {
          controller.enqueue(value);
        }
      } catch (error) {
        if (hasFailed) return;
        controller.error(error);
        onEnd();
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return {
    response: new Response(body, { status, statusText, headers }),
    isTaken: () => isWaiting,
    fail(reason) {
      hasFailed = true;
      sink.error(reason);
      onEnd();
      // Whoever fails the body has no interest in how its source ends.
      reader.cancel(reason).catch(() => undefined);
    },
  };
}
