// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * The folders of the packages whose code went into the files of `dist`, told by their source maps.
 *
 * @param {string} dist
 * @returns {string[]} sorted, each once
 */
function bundledPackages(dist) {
  const maps = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js.map"));
  const folders = maps.flatMap((name) => {
    const path = join(dist, name);
    /** @type {{ sources: string[] }} */
    const { sources } = JSON.parse(readFileSync(path, "utf8"));
    return sources.flatMap((source) => {
      const [folder] = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(resolve(dirname(path), source)) ?? [];
      return folder ? [folder] : [];
    });
  });
  return [...new Set(folders)].sort();
}

/**
 * The licence texts of everything that is bundled into `dist`.
 *
 * @param {string} dist folder that was just built, with source maps
 * @returns {string}
 * @throws Error naming the package if one says nothing about its licence
 */
export function thirdPartyLicenses(dist) {
  const parts = bundledPackages(dist).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file && !license) throw new Error(`${name}@${version} is bundled but says nothing about its licence`);
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : "(the package names the licence only)";
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Code of these packages is contained in the files beside this one.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}
