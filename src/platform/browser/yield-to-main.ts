/**
 * How long work on the main thread continues before the page gets a turn. Browsers call 50 ms a long task, of which their
 * own work, such as garbage collection, may take the larger part.
 */
const SLICE_MS = 4;

let sliceStart = 0;
let channel: MessageChannel | undefined;
const waiting: (() => void)[] = [];

/**
 * Yields to the page if this thread has been busy for long. Settled promises continue without yielding, so a loop over
 * available bytes would block the page. (A timer would wait 4 ms.)
 */
export async function yieldToMain(): Promise<void> {
  if (performance.now() - sliceStart < SLICE_MS) return;
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  const { port2 } = channel;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    port2.postMessage(0);
  });
  sliceStart = performance.now();
}
