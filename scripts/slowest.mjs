// @ts-check
// Prints which test files took longest in the last runs of `npm test` and `npm run test:full`.
import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {{ name: string, startTime: number, endTime: number, assertionResults: { duration?: number | null }[] }} Suite */

const count = Number(process.argv[2] ?? 20);
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const reports = readdirSync("reports").filter((name) => /^vitest.*\.json$/.test(name));
for (const name of reports) {
  /** @type {{ testResults: Suite[] }} */
  const { testResults } = JSON.parse(readFileSync(`reports/${name}`, "utf8"));
  const files = testResults
    .map((suite) => ({ seconds: (suite.endTime - suite.startTime) / 1000, ...suite }))
    .sort((a, b) => b.seconds - a.seconds);
  const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
  console.log(`\n${name}: ${files.length} files, ${total.toFixed(0)} s in all, several at once`);
  for (const { seconds, name: file, assertionResults } of files.slice(0, count))
    console.log(
      `${seconds.toFixed(1).padStart(8)} s ${String(assertionResults.length).padStart(5)} tests  ${relative(".", file)}`,
    );
}
