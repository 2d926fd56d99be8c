import { readFileSync } from "node:fs";

/** What `package.json` says of this package. */
export const packageJson: { name: string; version: string; description: string; homepage: string } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);
