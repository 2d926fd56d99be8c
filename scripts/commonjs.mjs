// @ts-check
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The modules of `dist` that `require` finds as CommonJS. */
const entries = ["compat/kavach/index", "compat/kavach/config", "compat/lighthouse/index", "compat/lighthouse/config"];

/**
 * Writes the CommonJS entries of the package, and their types. They export what the modules of the same names do: both
 * formats have the same calls and settings, however many of them a process loads. Calls are properties of plain objects,
 * which tests can replace.
 *
 * @param {string} dist
 */
export async function writeCommonjs(dist) {
  for (const entry of entries) {
    const script = resolve(dist, `${entry}.js`);
    const { default: calls, ...named } = await import(pathToFileURL(script).href);
    const isNamespace = calls?.[Symbol.toStringTag] === "Module";
    const lines = [
      '"use strict";',
      'Object.defineProperty(exports, "__esModule", { value: true });',
      `const calls = require("./${basename(script)}");`,
      ...Object.keys(named).map((name) => `exports.${name} = calls.${name};`),
      ...(calls === undefined ? [] : [`exports.default = ${isNamespace ? "{ ...calls.default }" : "calls.default"};`]),
    ];
    writeFileSync(join(dist, `${entry}.cjs`), `${lines.join("\n")}\n`);
    copyTypes(join(dist, `${entry}.d.ts`));
  }
}

/**
 * Copies declarations, and those that they import, as declarations of CommonJS; does nothing if there are none.
 *
 * @param {string} file
 */
function copyTypes(file) {
  if (!existsSync(file)) return;
  const text = readFileSync(file, "utf8");
  writeFileSync(file.replace(/\.ts$/, ".cts"), text.replace(/(from ["']\.[^"']*)\.js(["'])/g, "$1.cjs$2"));
  for (const [, path] of text.matchAll(/from ["'](\.[^"']*)\.js["']/g)) copyTypes(join(dirname(file), `${path}.d.ts`));
}
