// @ts-check
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PAGES, repository } from "./copy-pages.mjs";

/**
 * @typedef {{ title: string, path: string }} PageLink - a page, relative to the site, with its extension
 * @typedef {{ title: string, pages: PageLink[] }} Section
 */

/** Lists the guides by the sections of the first page. */
export function listGuides() {
  const [, ...sections] = readFileSync(join(PAGES, "index.md"), "utf8").split(/^## /m);
  return sections.map((text) => {
    const links = text.matchAll(/\[([^\]]+)\]\(\.\/([\w-]+\.md)\)/g);
    const pages = Array.from(links, ([, title = "", path = ""]) => ({ title: capitalize(title), path }));
    return { title: text.split("\n")[0] ?? "", pages };
  });
}

/** Lists the pages of the reference by the folders that typedoc made. */
export function listApiPages() {
  const files = readdirSync(join(PAGES, "api"), { recursive: true, encoding: "utf8" });
  /** @type {Map<string, PageLink[]>} */
  const sections = new Map();
  for (const file of files.filter((name) => name.endsWith(".md")).sort()) {
    const parts = file.split("/");
    const name = parts.pop()?.replace(/\.md$/, "") ?? "";
    const title = parts.join(" ").replaceAll("-", " ");
    const pages = sections.get(title) ?? [];
    pages.push({ title: name === "index" ? "Overview" : name, path: `api/${file}` });
    sections.set(title, pages);
  }
  return Array.from(sections, ([title, pages]) => ({ title: title ? nameEntry(title) : "Reference", pages }));
}

/**
 * Writes the lists for the site's configuration. A page of the reference lists its own section and links to the others:
 * all names would be most of every page.
 *
 * @param {readonly Section[]} guides
 * @param {readonly Section[]} apiPages
 */
export function writeLists(guides, apiPages) {
  const links = apiPages.map(({ title, pages: [first] }) => ({ text: title, ...(first && { link: toUrl(first) }) }));
  const sidebar = Object.fromEntries(
    apiPages.map((section, at) => [`/${dirname(section.pages[0]?.path ?? "")}/`, links.with(at, toSidebar(section))]),
  );
  sidebar["/"] = [...guides.map(toSidebar), { text: "Reference", link: "/api/" }];
  writeFileSync(join(PAGES, "site.json"), JSON.stringify({ sidebar, repository }));
}

/**
 * @param {Section} section
 * @returns {{ text: string, link?: string, items?: { text: string, link: string }[] }}
 */
function toSidebar({ title, pages }) {
  return { text: title, items: pages.map((page) => ({ text: page.title, link: toUrl(page) })) };
}

/** @param {PageLink} page */
function toUrl({ path }) {
  return `/${path.replace(/(index)?\.md$/, "")}`;
}

/** @param {string} title - the folders of a section, such as `index functions` */
function nameEntry(title) {
  const [entry = "", ...kinds] = title.split(" ");
  const name = entry === "index" ? "keeplight" : `keeplight/${entry}`;
  return [name, ...kinds].join(" ");
}

/** @param {string} text */
function capitalize(text) {
  return text.startsWith("@") ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
