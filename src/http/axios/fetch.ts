import fetchAdapter from "axios/unsafe/adapters/fetch.js";

/** By fetch, under the runtime's own name: with axios's, Firefox would ask each service first whether it takes that. */
export const adapter: typeof fetchAdapter = (config) =>
  fetchAdapter({ ...config, headers: { ...config.headers, "User-Agent": false } });
