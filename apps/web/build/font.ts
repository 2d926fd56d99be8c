import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const licence = new URL(import.meta.resolve("@fontsource-variable/figtree/LICENSE"));

/** Preloads the typeface, which the browser would otherwise find only in the style sheet, and ships its licence. */
export const shippedFont: Plugin = {
  name: "shipped-font",
  apply: "build",
  buildStart() {
    this.emitFile({ type: "asset", fileName: "assets/figtree-LICENSE.txt", source: readFileSync(licence, "utf8") });
  },
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
