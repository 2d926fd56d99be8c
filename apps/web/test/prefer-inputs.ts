import type { BrowserContext } from "playwright-core";

/** Makes the app ask for files by an `<input>`, which Playwright can set, instead of by a dialog that it cannot. */
export async function preferInputs(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => Reflect.deleteProperty(window, "showOpenFilePicker"));
}
