/** Watches the body of a response that is on its way to a client. It changes neither bytes nor headers. */

/**
 * Calls `onEnd` exactly once: when the body has been read to its end, has failed, or its reader went away.
 * Without a body, `onEnd` runs at once.
 */
export function observeBodyEnd(response: Response, onEnd: () => void): Response {
  if (response.body === null) {
    onEnd();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          controller.close();
          onEnd();
        } else {
          controller.enqueue(value);
        }
      } catch (error) {
        controller.error(error);
        onEnd();
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  });
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}
