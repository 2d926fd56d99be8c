import type * as browser from "../../src/platform/browser/index.ts";
import type * as node from "../../src/platform/node/index.ts";

// Compiled by `npm run typecheck`, never run. `#platform` has the types of the browser's exports.

declare const nodePlatform: typeof node;

export function offersInNodeWhatItOffersInBrowsers(): void {
  nodePlatform satisfies typeof browser;
}
