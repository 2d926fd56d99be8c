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
 * The licence text in a package's folder: its own file, or else that part of its README.
 *
 * @param {string} folder
 * @returns {string | undefined}
 */
function licenseText(folder) {
  const names = readdirSync(folder);
  const file = names.find((name) => /^licen[cs]e/i.test(name));
  if (file) return readFileSync(join(folder, file), "utf8").trim();
  const readme = names.find((name) => /^readme/i.test(name));
  if (!readme) return undefined;
  const section = /^(#+ *licen[cs]e\b|licen[cs]e\n-+\n).*/ims.exec(readFileSync(join(folder, readme), "utf8"));
  return section?.[0].trim();
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
    const { name, version, license, licenses } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    /** @type {string | undefined} */
    const kind = license ?? licenses?.[0]?.type;
    if (!kind) throw new Error(`${name}@${version} is bundled but does not name its licence`);
    return [`${name} ${version} (${kind})`, licenseText(folder) ?? ""].join("\n\n").trim();
  });
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  return `${["Code of these packages is contained in the files beside this one.", ...parts].join(rule)}\n`;
}
