// @ts-check
import { readFileSync } from "node:fs";

/** The lists of pages, which scripts/docs.mjs writes. */
const { sidebar, repository } = JSON.parse(readFileSync(new URL("../pages/site.json", import.meta.url), "utf8"));

/** @type {import("vitepress").UserConfig<import("vitepress").DefaultTheme.Config>} */
export default {
  title: "keeplight",
  description: "Upload, encrypt, share and recover files on a decentralised storage network.",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "pages/.cache",
  lang: "en",
  // One file for what all pages share, instead of a copy in each.
  metaChunk: true,
  // Names in angle brackets, such as <file>, are text.
  markdown: { html: false },
  // A link to a page that does not exist fails the build; the devnet's addresses are examples.
  ignoreDeadLinks: "localhostLinks",
  themeConfig: {
    nav: [
      { text: "Start", link: "/start-node" },
      { text: "Functions", link: "/api/" },
    ],
    sidebar,
    outline: "deep",
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: repository }],
  },
};
