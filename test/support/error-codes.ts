import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../src/base/errors/details/", import.meta.url);

/** The code of every error of the kit, read from the sources. */
export const errorCodes = readdirSync(folder).flatMap((file) =>
  Array.from(readFileSync(new URL(file, folder), "utf8").matchAll(/^ {2}([A-Z_]+):/gm), ([, code = ""]) => code),
);
