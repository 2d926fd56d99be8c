import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { packages } from "../../scripts/packages.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** One file of a package's `src`; its path has forward slashes and starts at the repository's root. */
interface SourceFile {
  path: string;
  lines: number;
}

export function readSources(): SourceFile[] {
  const paths = packages
    .flatMap(({ folder }) => readdirSync(join(root, folder, "src"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).split(sep).join("/"));
  return paths.sort().map((path) => ({
    path,
    lines: readFileSync(join(root, path), "utf8").trimEnd().split("\n").length,
  }));
}
