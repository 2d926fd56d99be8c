import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import * as index from "../../src/index.ts";
import { otherTexts, pages } from "./pages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const dist = join(root, "docs/site/dist");
const read = (path: string) => readFileSync(join(dist, path), "utf8");

/** Files of the site by their ending. */
function list(ending: string): string[] {
  return readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(ending));
}

/** The values of an attribute in a page. */
const attributes = (html: string, name: string) =>
  Array.from(html.matchAll(new RegExp(`<[^>]* ${name}="([^"]*)"`, "g")), ([, value = ""]) => value);

beforeAll(() => {
  // Rejects dead links between pages.
  execFileSync("npm", ["run", "docs"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}, 600_000);

test("the site has every page of docs/, the texts of the root, and every function", () => {
  const paths = [...pages.filter(({ path }) => path !== "README.md"), ...otherTexts].map(({ path }) =>
    path.replace("docs/", "").replace(/\.md$/, ".html").toLowerCase(),
  );
  const functions = Object.keys(index).map((name) => `api/index/${name}.html`);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(dist, path)))).toEqual([]);
  const names = new Set(list(".html").map((path) => path.split("/").at(-1)));
  expect(functions.filter((path) => !names.has(path.split("/").at(-1)))).toEqual([]);
});

test("no page loads a script, a style, a font or a picture from elsewhere", () => {
  const html = list(".html");
  expect(html.length).toBeGreaterThan(100);
  const loaded = html.flatMap((path) => {
    const text = read(path);
    const links = Array.from(text.matchAll(/<link [^>]*>/g), ([tag]) => tag).flatMap((tag) => attributes(tag, "href"));
    return [...attributes(text, "src"), ...attributes(text, "srcset"), ...links];
  });
  expect(loaded.length).toBeGreaterThan(100);
  expect(loaded.filter((url) => /^(https?:)?\/\//.test(url))).toEqual([]);
  const styles = list(".css").flatMap((path) => Array.from(read(path).matchAll(/(?:url\(|@import )["']?([^)"';]+)/g)));
  expect(styles.map(([, url = ""]) => url).filter((url) => /^(https?:)?\/\//.test(url))).toEqual([]);
});

test("every link within the site has a page", () => {
  const dead = list(".html").flatMap((path) => {
    const links = attributes(read(path), "href").filter((link) => link.startsWith("/"));
    return links.map((link) => decodeURI(link.replace(/[?#].*$/, ""))).filter((link) => !existsSync(join(dist, link)));
  });
  expect([...new Set(dead)]).toEqual([]);
});

test("llms.txt lists every page, and each exists as Markdown; llms-full.txt has the guides", () => {
  const text = read("llms.txt");
  const listed = Array.from(text.matchAll(/\]\(\/([^)]+\.md)\)/g), ([, path = ""]) => path);
  expect(listed.filter((path) => !existsSync(join(dist, path)))).toEqual([]);
  const html = list(".html").map((path) => path.replace(/\.html$/, ".md"));
  const hidden = ["404.md", "index.md"];
  expect(html.filter((path) => !listed.includes(path) && !hidden.includes(path))).toEqual([]);
  expect(text).toMatch(/^# keeplight\n\n> Upload, encrypt, share and recover files .*\n\n## Start in five minutes\n/);
  expect(text).toMatch(/^- \[Errors\]\(\/errors\.md\): Every error is a `KeeplightError`/m);
  expect(read("llms-full.txt")).toContain("\n# Recover without us\n");
});
