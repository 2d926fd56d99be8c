// @ts-check
// Builds the documentation site; see docs/site/README.md. Further arguments are passed to `vitepress build`.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { copyPages } from "./docs/copy-pages.mjs";
import { listApiPages, listGuides, writeLists } from "./docs/list-pages.mjs";
import { writeLlmsTexts } from "./docs/llms-texts.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

/** @param {readonly string[]} args */
const runNode = (...args) => execFileSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });

copyPages();
const plugins = ["./scripts/typedoc-properties.mjs", "./docs/site/node_modules/typedoc-plugin-markdown/dist/index.js"];
const reference = ["--emit", "docs", "--out", "docs/site/pages/api", "--disableSources", "--hideBreadcrumbs"];
const pages = ["--hidePageHeader", "--entryFileName", "index.md", "--sanitizeComments", "--useCodeBlocks"];
runNode("node_modules/typedoc/bin/typedoc", ...plugins.flatMap((path) => ["--plugin", path]), ...reference, ...pages);
const guides = listGuides();
const apiPages = listApiPages();
writeLists(guides, apiPages);
runNode("docs/site/node_modules/vitepress/bin/vitepress.js", "build", "docs/site", ...process.argv.slice(2));
writeLlmsTexts(guides, apiPages);
