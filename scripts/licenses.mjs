// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/**
 * Lists the folders of the packages whose code is in `dist`, according to its source maps.
 *
 * @param {string} dist
 * @returns {string[]} sorted, each once
 */
function listBundledPackages(dist) {
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
 * Reads a package's licence: its licence file, or that section of its README.
 *
 * @param {string} folder
 * @returns {string | undefined}
 */
function readLicense(folder) {
  const names = readdirSync(folder);
  const file = names.find((name) => /^licen[cs]e/i.test(name));
  if (file) return readFileSync(join(folder, file), "utf8").trim();
  const readme = names.find((name) => /^readme/i.test(name));
  if (!readme) return undefined;
  const section = /^(#+ *licen[cs]e\b|licen[cs]e\n-+\n).*/ims.exec(readFileSync(join(folder, readme), "utf8"));
  return section?.[0].trim();
}

/**
 * Returns the licences of all packages that are bundled into `dist`.
 *
 * @param {string} dist build folder with source maps
 * @returns {string}
 * @throws Error naming a package that does not declare its licence
 */
export function thirdPartyLicenses(dist) {
  const parts = listBundledPackages(dist).map((folder) => {
    const { name, version, license, licenses } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    /** @type {string | undefined} */
    const licenseName = license ?? licenses?.[0]?.type;
    if (!licenseName) throw new Error(`${name}@${version} is bundled but does not declare its licence`);
    return [`${name} ${version} (${licenseName})`, readLicense(folder) ?? ""].join("\n\n").trim();
  });
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  return `${["The files in this folder contain code of these packages.", ...parts].join(rule)}\n`;
}
