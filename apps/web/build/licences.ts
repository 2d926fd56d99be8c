import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** What is shipped under licences that require their text beside it. */
const licences = {
  figtree: import.meta.resolve("@fontsource-variable/figtree/LICENSE"),
  pdfjs: import.meta.resolve("pdfjs-dist/LICENSE"),
};

/** Ships the licences of the typeface and of the library that draws PDFs. */
export const shippedLicences: Plugin = {
  name: "shipped-licences",
  apply: "build",
  buildStart() {
    for (const [name, file] of Object.entries(licences)) {
      const source = readFileSync(new URL(file), "utf8");
      this.emitFile({ type: "asset", fileName: `assets/${name}-LICENSE.txt`, source });
    }
  },
};
