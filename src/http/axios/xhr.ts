import xhrAdapter from "axios/unsafe/adapters/xhr.js";
import { exchangeByFetch } from "./fetch-exchange.ts";

/** Service workers and the runtimes of edge servers have no XMLHttpRequest. */
export const adapter = typeof XMLHttpRequest === "undefined" ? exchangeByFetch : xhrAdapter;
