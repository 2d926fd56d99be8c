import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

/** One file of src; its path has forward slashes and starts below src. */
interface SourceFile {
  path: string;
  lines: number;
}

export function readSources(): SourceFile[] {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).split(sep).join("/"));
  return paths.sort().map((path) => ({
    path,
    lines: readFileSync(join(root, path), "utf8").trimEnd().split("\n").length,
  }));
}
