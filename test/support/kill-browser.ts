import type { BrowserContext } from "playwright-core";

/** Kills all processes of a browser with a profile on the disk, and waits for its end. */
export async function killBrowser(context: BrowserContext): Promise<void> {
  const session = await context.browser()?.newBrowserCDPSession();
  const { processInfo = [] } = (await session?.send("SystemInfo.getProcessInfo")) ?? {};
  const closed = context.waitForEvent("close", { timeout: 0 });
  // The browser first: it would report the end of the others, and tidy up.
  for (const { id } of processInfo.sort((a) => (a.type === "browser" ? -1 : 1))) killIfAlive(id);
  await closed;
}

/** Children of a process that was killed may have ended by themselves. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
