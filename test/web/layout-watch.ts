import type { Page } from "playwright-core";

/** A layout shift, as Chromium tells of it; TypeScript's own library does not know it yet. */
interface LayoutShift extends PerformanceEntry {
  hadRecentInput: boolean;
  value: number;
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

/** What is left in a watched page. */
interface Watch {
  takeLayoutShifts(): string[];
}

/** What has moved about in a page. */
export interface LayoutWatch {
  /** All shifts until now: how much, when, on which screen, and each part from where to where. */
  shifts(): Promise<string[]>;
  /** Runs something by which the window itself changes; what moves meanwhile does not count. */
  without<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Watches every document of a page from its beginning. */
export async function watchLayout(page: Page): Promise<LayoutWatch> {
  await page.addInitScript(watchDocument);
  const found: string[] = [];
  const take = () => page.evaluate(() => (window as unknown as Watch).takeLayoutShifts());
  return {
    async shifts() {
      found.push(...(await take()));
      return found;
    },
    async without(work) {
      found.push(...(await take()));
      const result = await work();
      // The last change has been laid out once two frames have begun after it.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await take();
      return result;
    },
  };
}

/**
 * Runs in the page. Browsers do not count what moves within half a second of an input; here it counts, or whether
 * something is found would depend on how fast the machine answers. But for two things: lists, in which rows come and
 * go, and the form of conditions, which grows while it is filled in.
 */
function watchDocument(): void {
  const found: string[] = [];

  function isWithin(node: Node | null, selector: string): boolean {
    const element = node instanceof Element ? node : node?.parentElement;
    return Boolean(element?.closest(selector));
  }
  function describe(node: Node | null): string {
    const element = node instanceof Element ? node : node?.parentElement;
    const text = node?.textContent?.trim().replace(/\s+/g, " ").slice(0, 40);
    return element ? `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""} “${text}”` : "(gone)";
  }
  function rectOf({ x, y, width, height }: DOMRectReadOnly): string {
    return [x, y, width, height].map(Math.round).join(" ");
  }
  function keep(entries: PerformanceEntryList): void {
    for (const { startTime, value, sources, hadRecentInput } of entries as LayoutShift[]) {
      const isMeant = sources.every(
        ({ node }) =>
          isWithin(node, ".file-table tbody, .people, .tray li") || (hadRecentInput && isWithin(node, ".conditions")),
      );
      if (value < 0.001 || isMeant) continue;
      const moved = sources.map(
        ({ node, previousRect, currentRect }) => `${describe(node)} ${rectOf(previousRect)} → ${rectOf(currentRect)}`,
      );
      const when = `${location.hash} at ${Math.round(startTime)} ms${hadRecentInput ? ", after an input" : ""}`;
      found.push(`${value.toFixed(4)} ${when}: ${moved.join(" | ")}`);
    }
  }

  const observer = new PerformanceObserver((list) => keep(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  const watch: Watch = {
    takeLayoutShifts() {
      // Observers are told later, when the page is idle.
      keep(observer.takeRecords());
      return found.splice(0);
    },
  };
  Object.assign(window, watch);
}
