/**
 * Streams chunks, `ahead` of them before they are requested. Calls `end` once there are no more, after a failure, and when
 * the stream is cancelled.
 */
export function toStream(
  chunks: AsyncGenerator<Uint8Array, void>,
  end: () => unknown = () => chunks.return(undefined),
  ahead = 1,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (!done) return controller.enqueue(value);
          await end();
          controller.close();
        } catch (error) {
          await end();
          throw error;
        }
      },
      async cancel() {
        await end();
      },
    },
    { highWaterMark: ahead },
  );
}
