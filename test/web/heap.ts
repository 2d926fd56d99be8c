import type { Page } from "playwright-core";

const MIB = 1024 * 1024;

/** What was measured in a page while something ran. */
export interface Measured {
  /** Largest JavaScript heap seen, in MiB; garbage that was not collected yet counts. */
  peakHeapMiB: number;
  /** Longest task of the main thread, in milliseconds; those under 50 are not told by browsers. */
  longestTaskMs: number;
  seconds: number;
}

/** Runs something while the page's heap and main thread are watched. */
export async function measure(page: Page, work: () => Promise<unknown>): Promise<Measured> {
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
  let over = false;
  const watch = async () => {
    while (!over) {
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
    over = true;
    await watching;
  }
  const seconds = (performance.now() - started) / 1000;
  const tasks = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks);
  await session.detach();
  return { peakHeapMiB: Math.round(peak / MIB), longestTaskMs: Math.max(0, ...tasks), seconds };
}
