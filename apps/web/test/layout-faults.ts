/**
 * Runs in the page, on what its window shows. Returns what is wrong with the layout: content that is wider than the window or
 * cut off without an ellipsis, controls that overlap, and strips without content above other content.
 *
 * @param maxGap - height of a strip that is space between sections, in pixels
 */
export function findLayoutFaults(maxGap: number): string[] {
  const faults: string[] = [];
  const height = window.innerHeight;

  function name(element: Element): string {
    const text = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().replace(/\s+/g, " ");
    return `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? ""} “${text.slice(0, 40)}”`;
  }
  function listShown(selector: string, within: ParentNode = document): HTMLElement[] {
    return Array.from(within.querySelectorAll<HTMLElement>(selector)).filter((element) => {
      const { width, height: tall, bottom, top } = element.getBoundingClientRect();
      const isShown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      // One pixel is for screen readers only.
      return isShown && width > 1 && tall > 1 && bottom > 0 && top < height;
    });
  }
  /** What of an element its scrolling ancestors let through. */
  function getSeen(element: Element): { left: number; right: number; top: number; bottom: number } {
    let { left, right, top, bottom } = element.getBoundingClientRect();
    for (let box = element.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflow === "visible" || box === document.documentElement) continue;
      const around = box.getBoundingClientRect();
      left = Math.max(left, around.left);
      right = Math.min(right, around.right);
      top = Math.max(top, around.top);
      bottom = Math.min(bottom, around.bottom);
    }
    return { left, right, top, bottom };
  }
  function isPinned(element: Element): boolean {
    for (let box: Element | null = element; box; box = box.parentElement) {
      if (["fixed", "sticky"].includes(getComputedStyle(box).position)) return true;
    }
    return false;
  }

  const tooWide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (tooWide > 0) faults.push(`the page is ${tooWide} px wider than its window`);

  const hasText = (element: Element) =>
    Array.from(element.childNodes).some((node) => node.nodeType === 3 && node.textContent?.trim());

  for (const element of listShown("body *").filter(hasText)) {
    const { overflowX, textOverflow } = getComputedStyle(element);
    const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    if (isCut && overflowX === "hidden" && textOverflow !== "ellipsis") faults.push(`cut off: ${name(element)}`);
  }

  const dialog = document.querySelector("dialog[open]");
  const controls = listShown("a, button, input, select, textarea, summary", dialog ?? document).filter(
    // A field under its own label, such as a hidden radio button, is drawn by the label.
    (element) => !isPinned(element) && getComputedStyle(element).position !== "absolute",
  );
  for (const [at, one] of controls.entries()) {
    const a = getSeen(one);
    for (const other of controls.slice(at + 1)) {
      if (one.contains(other) || other.contains(one)) continue;
      const b = getSeen(other);
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 1) faults.push(`overlap: ${name(one)} and ${name(other)}`);
    }
  }

  const content = listShown("#main *")
    // A short text in a preview leaves the place of a long one.
    .filter((element) => hasText(element) || element.matches("img, svg, canvas, video, input, select, .preview-text"))
    .map(getSeen)
    .sort((a, b) => a.top - b.top);
  let end = Math.max(0, content[0]?.top ?? 0);
  for (const { top, bottom } of content) {
    if (top - end > maxGap) faults.push(`nothing from ${Math.round(end)} to ${Math.round(top)} px`);
    end = Math.max(end, bottom);
  }
  return faults;
}
