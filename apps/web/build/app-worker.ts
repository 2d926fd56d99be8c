import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const page = fileURLToPath(new URL("../index.html", import.meta.url));
const worker = fileURLToPath(new URL("../media-worker.ts", import.meta.url));
const publicFolder = fileURLToPath(new URL("../public/", import.meta.url));

/** Puts the Service Worker at the root of the site, from where it controls all pages, and passes it the app's files. */
export const appWorker: Plugin = {
  name: "app-worker",
  enforce: "post",
  config: () => ({
    build: {
      rolldownOptions: {
        input: { main: page, "media-worker": worker },
        output: {
          // What the first screen needs is one file, as each takes a round trip; the worker cannot run the page's code.
          codeSplitting: {
            groups: [{ name: "start", tags: ["$initial"], test: /^(?!.*\/(media|worker)\b)/ }],
          },
          entryFileNames: ({ name }) => (name === "media-worker" ? "media-worker.js" : "assets/[name]-[hash].js"),
        },
      },
    },
  }),
  configureServer: ({ middlewares }) =>
    void middlewares.use((request, _, next) => {
      if (request.url === "/media-worker.js") request.url = "/media-worker.ts";
      next();
    }),
  generateBundle(_, bundle) {
    const script = bundle["media-worker.js"];
    if (script?.type !== "chunk") throw new Error("the build has no media-worker.js");
    // Not what draws PDFs, which is larger than the app: without it they have no thumbnails.
    const assets = Object.keys(bundle).filter((file) => /^assets\/(?!pdf-worker-).*\.(js|css|woff2)$/.test(file));
    // Not the picture for other sites.
    const keptPublic = readdirSync(publicFolder).filter((name) => name !== "og.png");
    const files = ["", ...keptPublic, ...assets].map((file) => `/${file}`).sort();
    const version = createHash("sha256").update(files.join("\n"));
    for (const file of [page, ...keptPublic.map((name) => publicFolder + name)]) {
      version.update(readFileSync(file));
    }
    script.code = script.code
      .replace(/(["'`])__APP_FILES__\1/, JSON.stringify(files.join(" ")))
      .replace(/(["'`])__APP_VERSION__\1/, JSON.stringify(version.digest("hex").slice(0, 16)));
  },
};
