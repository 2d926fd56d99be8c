import { type Browser, firefox, type LaunchOptions } from "playwright-core";

/** The one command of WebDriver BiDi that Playwright sends for every context, and that releases of Firefox up to 153 lack. */
const OPTIONAL_COMMAND = "emulation.setMediaFeaturesOverride";

type Send = (method: string, params: unknown) => Promise<unknown>;

/** What Playwright has behind a browser that speaks WebDriver BiDi; its types do not say so. */
interface BrowserOverBidi {
  _connection: { toImpl(browser: unknown): { _browserSession: { send: Send } } };
}

/**
 * Starts a Firefox as its makers release it, which Playwright drives by WebDriver BiDi.
 *
 * @param folder - for downloads
 */
export async function launchFirefox(executablePath: string, folder?: string): Promise<Browser> {
  const browser = await firefox.launch({
    channel: "moz-firefox",
    executablePath,
    ...(folder !== undefined && { downloadsPath: folder }),
    firefoxUserPrefs: {
      "ui.prefersReducedMotion": 1,
      // Lets pages read the clipboard without a question.
      "dom.events.testing.asyncClipboard": true,
    },
  } satisfies LaunchOptions);
  return withoutOptionalCommand(browser);
}

/** Lets the browser refuse {@link OPTIONAL_COMMAND}: pages then have the real settings of colours. */
export function withoutOptionalCommand(browser: Browser): Browser {
  const session = (browser as unknown as BrowserOverBidi)._connection.toImpl(browser)._browserSession;
  const send: Send = session.send.bind(session);
  session.send = async (method, params) => {
    try {
      return await send(method, params);
    } catch (error) {
      if (method === OPTIONAL_COMMAND && String(error).includes("unknown command")) return {};
      throw error;
    }
  };
  return browser;
}
