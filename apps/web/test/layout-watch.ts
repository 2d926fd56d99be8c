import type { Page } from "playwright-core";

/** A layout shift as Chromium reports it; TypeScript's own library lacks the type. */
interface LayoutShift extends PerformanceEntry {
  hadRecentInput: boolean;
  value: number;
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

/** What the script adds to a watched page. */
interface Watch {
  takeLayoutShifts(): string[];
}

/** The layout shifts of a page. */
export interface LayoutWatch {
  /** All shifts so far: score, time, screen, and how each element moved. */
  shifts(): Promise<string[]>;
  /** Runs `work`, which resizes the window; shifts during it do not count. */
  without<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Watches every document of a page from its start. */
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
      // The last change has been laid out once two frames have started after it.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await take();
      return result;
    },
  };
}

/**
 * Runs in the page. Browsers ignore shifts within half a second of an input; here they count, so that the outcome does
 * not depend on the speed of the machine. Three kinds are expected: in lists, where rows are added and removed, in lists
 * below one that a person has removed a row from, or that follow what is typed, and in the conditions form, which grows while
 * it is filled in.
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
  function formatRect({ x, y, width, height }: DOMRectReadOnly): string {
    return [x, y, width, height].map(Math.round).join(" ");
  }
  function collect(entries: PerformanceEntryList): void {
    for (const { startTime, value, sources, hadRecentInput } of entries as LayoutShift[]) {
      // What was removed has no place any more; what is left around it shows where it was.
      const left = sources.filter(({ node }) => node !== null);
      const isExpected = left.every(
        ({ node }) =>
          isWithin(node, ".file-table tbody, .people, .tray") ||
          (hadRecentInput && isWithin(node, ".conditions, .shared-list, .contact-options")),
      );
      // If nothing is left, such as of a list that was replaced, only its cause is known.
      if (value < 0.001 || (left.length > 0 ? isExpected : hadRecentInput)) continue;
      const moved = sources.map(
        ({ node, previousRect, currentRect }) =>
          `${describe(node)} ${formatRect(previousRect)} → ${formatRect(currentRect)}`,
      );
      const when = `${location.hash} at ${Math.round(startTime)} ms${hadRecentInput ? ", after an input" : ""}`;
      found.push(`${value.toFixed(4)} ${when}: ${moved.join(" | ")}`);
    }
  }

  const observer = new PerformanceObserver((list) => collect(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  const watch: Watch = {
    takeLayoutShifts() {
      // Observers are notified later, when the page is idle.
      collect(observer.takeRecords());
      return found.splice(0);
    },
  };
  Object.assign(window, watch);
}
