/**
 * Work on the main thread goes on for this long before the page gets a turn. Browsers call 50 ms a long task, of which
 * what they do by themselves on the way, such as collecting garbage, may take the larger part.
 */
const SLICE_MS = 4;

let began = 0;
let channel: MessageChannel | undefined;
const waiting: (() => void)[] = [];

/**
 * Lets the page draw and answer if this thread has been busy for long. Promises that are settled already follow one
 * another without that, so a loop over bytes that are at hand would hold the page up. (A timer would wait 4 ms.)
 */
export async function yieldToMain(): Promise<void> {
  if (performance.now() - began < SLICE_MS) return;
  if (!channel) {
    channel = new MessageChannel();
    channel.port1.onmessage = () => waiting.shift()?.();
  }
  const { port2 } = channel;
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    port2.postMessage(0);
  });
  began = performance.now();
}
