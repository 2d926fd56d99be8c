import { readdirSync, readFileSync } from "node:fs";

const root = new URL("../../", import.meta.url);

/** A page of the documentation. */
interface Page {
  /** Path in the repository. */
  path: string;
  text: string;
}

/** A TypeScript program of a page, as written. */
export interface Program {
  /** The page without its extension, and the name of the file that the page gives it, or its number on the page. */
  name: string;
  code: string;
}

function readPage(path: string): Page {
  return { path, text: readFileSync(new URL(path, root), "utf8") };
}

/** README.md, and every page in docs/. */
export const pages: readonly Page[] = [
  "README.md",
  ...readdirSync(new URL("docs", root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map(readPage);

/** Other texts at the root of the repository. */
export const otherTexts: readonly Page[] = ["CHANGELOG", "CONTRIBUTING", "SECURITY", "THREAT-MODEL"].map((name) =>
  readPage(`${name}.md`),
);

/** The name of a program's file, at the end of the paragraph before it: "The page, `src/main.ts`:". */
const FILE_NAME = /`([\w./-]+\.tsx?)`:\n\n$/;

/** Every program of every page. */
export const programs: readonly Program[] = pages.flatMap(({ path, text }) => {
  const page = path.replace(/^docs\//, "").replace(/\.md$/, "");
  const blocks = text.matchAll(/^```(tsx?)\n(.*?)^```$/gms);
  return Array.from(blocks, ({ 1: extension, 2: code = "", index }, at) => {
    const [, file = `program-${at + 1}.${extension}`] = FILE_NAME.exec(text.slice(0, index)) ?? [];
    return { name: `${page}/${file}`, code };
  });
});
