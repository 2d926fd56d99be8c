// @ts-check
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PAGES } from "./copy-pages.mjs";

const DIST = "docs/site/dist";

/** @typedef {import("./list-pages.mjs").Section} Section */

/**
 * Writes llms.txt, a list of every page (https://llmstxt.org), llms-full.txt, the guides in one file, and each page as
 * Markdown beside its HTML.
 *
 * @param {readonly Section[]} guides
 * @param {readonly Section[]} apiPages
 */
export function writeLlmsTexts(guides, apiPages) {
  const [heading = "", summary = ""] = readPage("index.md").split("\n\n");
  const sections = [...guides, ...apiPages];
  const lists = sections.map(({ title, pages }) => `## ${title}\n\n${pages.map(listPage).join("\n")}\n`);
  writeFileSync(join(DIST, "llms.txt"), `${heading}\n\n> ${summary.replaceAll("\n", " ")}\n\n${lists.join("\n")}`);
  const paths = guides.flatMap(({ pages }) => pages.map(({ path }) => path));
  writeFileSync(join(DIST, "llms-full.txt"), `${["index.md", ...paths].map(readPage).join("\n")}`);
  for (const path of ["index.md", ...sections.flatMap(({ pages }) => pages.map((page) => page.path))]) {
    mkdirSync(dirname(join(DIST, path)), { recursive: true });
    copyFileSync(join(PAGES, path), join(DIST, path));
  }
}

/** @param {string} path */
function readPage(path) {
  return readFileSync(join(PAGES, path), "utf8");
}

/** @param {import("./list-pages.mjs").PageLink} page */
function listPage({ title, path }) {
  // The first paragraph that is one: neither a heading nor a table, a list, code or a picture.
  const paragraph = readPage(path)
    .split(/\n{2,}/)
    .find((text) => /^[\p{Letter}`*@]/u.test(text));
  const sentence = paragraph?.replaceAll("\n", " ").match(/^.*?\.(?= |$)/)?.[0];
  return `- [${title}](/${path})${sentence ? `: ${sentence}` : ""}`;
}
