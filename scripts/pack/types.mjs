// @ts-check
import { cpSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";

/**
 * Copies the types that a package's entries import. They stay in the files of their modules: an editor shows the
 * documentation of a kit's methods only where a function is exported by its declaration, which bundled types do not do.
 *
 * @param {string} from - folder of the package
 * @param {string} to
 * @param {readonly string[]} targets - what package.json names, relative to `from`
 */
export function copyTypes(from, to, targets) {
  const files = new Set(targets.filter((path) => path.endsWith(".js") || path.endsWith(".d.ts")).map(typesOf));
  // A set also visits what is added meanwhile.
  for (const file of files) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(from, file), "utf8"));
    for (const { fileName } of importedFiles)
      if (fileName.startsWith(".")) files.add(typesOf(posix.join(posix.dirname(file), fileName)));
    cpSync(join(from, file), join(to, file));
  }
}

/** @param {string} path - of a module or its types */
const typesOf = (path) => posix.normalize(path.replace(/\.js$/, ".d.ts"));
