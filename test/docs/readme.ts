import { readFileSync } from "node:fs";

/** The text of README.md. */
export const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** Every TypeScript program of the README, as written. */
export const programs = Array.from(readme.matchAll(/^```(tsx?)\n(.*?)^```$/gms), ([, extension, code = ""], at) => ({
  name: `program-${at + 1}.${extension}`,
  code,
}));
