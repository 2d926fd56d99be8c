import type { Plugin } from "vite";

/** Preloads the typeface, which the browser would otherwise find only in the style sheet. */
export const preloadedFont: Plugin = {
  name: "preloaded-font",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle }) =>
      Object.keys(bundle ?? {})
        .filter((file) => /figtree-latin-wght-normal-.*\.woff2$/.test(file))
        .map((file) => ({
          tag: "link",
          attrs: { rel: "preload", href: `/${file}`, as: "font", type: "font/woff2", crossorigin: "" },
          injectTo: "head-prepend",
        })),
  },
};
