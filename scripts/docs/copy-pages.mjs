// @ts-check
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Where the pages of the site are assembled. */
export const PAGES = "docs/site/pages";

/** Texts at the root of the repository that are pages of the site, too. */
const rootTexts = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "THREAT-MODEL.md"];

/** The public address of the repository, from package.json. */
export const repository = JSON.parse(readFileSync("package.json", "utf8"))
  .repository.url.replace(/^git\+/, "")
  .replace(/\.git$/, "");

/** Copies the pages of docs/ and the texts at the root, with links that fit the site. */
export function copyPages() {
  rmSync(PAGES, { recursive: true, force: true });
  mkdirSync(PAGES, { recursive: true });
  cpSync("docs/images", join(PAGES, "images"), { recursive: true });
  for (const name of readdirSync("docs").filter((file) => file.endsWith(".md"))) copyPage("docs", name);
  for (const name of rootTexts) copyPage(".", name);
}

/**
 * @param {string} folder
 * @param {string} name
 */
function copyPage(folder, name) {
  // The site shows HTML as text.
  const text = readFileSync(join(folder, name), "utf8").replace(/<!--.*?-->\n*/gs, "");
  const adapted = text.replace(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, link) => `](${adaptLink(folder, link)})`);
  writeFileSync(join(PAGES, name.toLowerCase()), adapted);
}

/**
 * A link to a page of the site, or to anything else in the repository.
 *
 * @param {string} folder - of the page that has the link
 * @param {string} link
 */
function adaptLink(folder, link) {
  const [path = "", fragment] = link.split("#");
  const hash = fragment === undefined ? "" : `#${fragment}`;
  const target = join(folder, path);
  if (target === "README.md") return "./index.md";
  if (rootTexts.includes(target) || /^docs\/[\w-]+\.md$/.test(target))
    return `./${basename(target).toLowerCase()}${hash}`;
  if (target.startsWith("docs/images/")) return `./images/${basename(target)}`;
  if (!existsSync(target)) throw new Error(`${folder} links to ${link}, which does not exist`);
  return `${repository}/blob/HEAD/${target}${hash}`;
}
