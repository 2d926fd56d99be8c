import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { otherTexts, pages } from "./pages.ts";

const root = new URL("../../", import.meta.url);
const texts = [...pages, ...otherTexts];

/** The anchors that GitHub and the site give to the headings of a text. */
function listAnchors(text: string): string[] {
  const headings = text.replace(/^```.*?^```/gms, "").matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Whether a link of a page leads to a file of the repository, and to a heading of it if the link has a fragment. */
function hasTarget(page: string, link: string): boolean {
  const { pathname, hash } = new URL(link, new URL(page, root));
  const path = pathname.slice(root.pathname.length);
  if (!existsSync(new URL(path, root))) return false;
  const text = texts.find((other) => other.path === path)?.text;
  return hash === "" || (text !== undefined && listAnchors(text).includes(hash.slice(1)));
}

test("every link of every page has a target in the repository", () => {
  const links = texts.flatMap(({ path, text }) => {
    const found = text.replace(/^```.*?^```/gms, "").matchAll(/\]\((?!https?:)([^)\s]+)\)/g);
    return Array.from(found, ([, link = ""]) => ({ path, link }));
  });
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ path, link }) => !hasTarget(path, link))).toEqual([]);
});

test("a link to a missing file or heading has none", () => {
  const links = ["docs/missing.md", "docs/errors.md#missing", "#missing", "docs/errors.md", "#the-main-calls"];
  expect(links.map((link) => hasTarget("README.md", link))).toEqual([false, false, false, true, true]);
});

test("every page is listed on the first one", () => {
  const first = pages.find(({ path }) => path === "docs/index.md")?.text ?? "";
  const others = pages.flatMap(({ path }) => (/^docs\/(?!index)/.test(path) ? [path.replace("docs/", "")] : []));
  expect(others.filter((name) => !first.includes(`](${name})`))).toEqual([]);
});

test("links and pictures also work on the package page, which resolves them in the repository", () => {
  const { repository, homepage, bugs, author } = packageJson;
  const { url } = repository;
  expect(url).toMatch(/^git\+https:\/\/github\.com\/[\w-]+\/[\w-]+\.git$/);
  const page = url.slice("git+".length, -".git".length);
  expect({ homepage, bugs }).toEqual({ homepage: `${page}#readme`, bugs: { url: `${page}/issues` } });
  expect(author).not.toBe("");
  expect(texts.find(({ path }) => path === "SECURITY.md")?.text).toContain(`${page}/security/advisories/new`);
});
