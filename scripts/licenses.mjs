// @ts-check
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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
 * Returns the licences of the packages whose code a build contains; empty if there are none.
 *
 * @param {string} metafile - esbuild's report of the build
 * @returns {string}
 * @throws Error naming a package that does not declare its licence
 */
export function thirdPartyLicenses(metafile) {
  /** @type {{ inputs: object }} */
  const { inputs } = JSON.parse(readFileSync(metafile, "utf8"));
  const folders = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license, licenses } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    /** @type {string | undefined} */
    const licenseName = license ?? licenses?.[0]?.type;
    if (!licenseName) throw new Error(`${name}@${version} is bundled but does not declare its licence`);
    return [`${name} ${version} (${licenseName})`, readLicense(folder) ?? ""].join("\n\n").trim();
  });
  const rule = `\n\n${"-".repeat(80)}\n\n`;
  if (parts.length === 0) return "";
  return `${["The files in this folder contain code of these packages.", ...parts].join(rule)}\n`;
}
