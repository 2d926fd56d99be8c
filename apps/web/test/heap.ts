import type { Page } from "playwright-core";

const MIB = 1024 * 1024;

/** Measured in a page during a task. */
export interface Measurement {
  /** Largest JavaScript heap, in MiB, including garbage that was not collected yet. */
  peakHeapMiB: number;
  /** Longest task of the main thread, in milliseconds; browsers do not report those under 50. */
  longestTaskMs: number;
  seconds: number;
}

/** Runs `work`, and measures the page's heap and main thread meanwhile. */
export async function measure(page: Page, work: () => Promise<unknown>): Promise<Measurement> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await session.send("HeapProfiler.collectGarbage");
  await page.evaluate(() => {
    const tasks: number[] = Object.assign(window, { longTasks: [] as number[] }).longTasks;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: "longtask" });
  });
  let peak = 0;
  let isOver = false;
  const watch = async () => {
    while (!isOver) {
      const { metrics } = await session.send("Performance.getMetrics");
      peak = Math.max(peak, metrics.find(({ name }) => name === "JSHeapUsedSize")?.value ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const watching = watch();
  const started = performance.now();
  try {
    await work();
  } finally {
    isOver = true;
    await watching;
  }
  const seconds = (performance.now() - started) / 1000;
  const tasks = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks);
  await session.detach();
  return { peakHeapMiB: Math.round(peak / MIB), longestTaskMs: Math.max(0, ...tasks), seconds };
}
