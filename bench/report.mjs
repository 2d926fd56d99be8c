// @ts-check
import { computeBars, quotient } from "./bars.mjs";

/** @typedef {import("./run-case.mjs").Result} Result */

/** @typedef {"seconds" | "cpuSeconds" | "peakRssMiB"} Figure */

/** @type {readonly { figure: Figure, title: string, digits: number }[]} */
const figures = [
  { figure: "seconds", title: "seconds", digits: 2 },
  { figure: "cpuSeconds", title: "CPU seconds", digits: 2 },
  { figure: "peakRssMiB", title: "peak RSS, MiB", digits: 0 },
];

/**
 * Formats the results as a table, keeplight beside the incumbent, followed by the bars.
 *
 * @param {readonly Result[]} results
 * @param {import("./cases.mjs").Size} size
 */
export function report(results, size) {
  return [...formatTable(results), "", ...formatBars(results, size)].join("\n");
}

/** @param {readonly Result[]} results */
function formatTable(results) {
  const names = [...new Set(results.map((result) => result.case))];
  const width = Math.max(...names.map((name) => name.length));
  const groupWidth = 30;
  const titles = figures.map(({ title }) => title.padStart(groupWidth)).join("");
  const columns = figures.map(() => `${"keeplight".padStart(12)}${"incumbent".padStart(10)}${"ratio".padStart(8)}`);
  const lines = names.map((name) => {
    /** @param {string} subject */
    const find = (subject) => results.find((result) => result.case === name && result.subject === subject);
    const ours = find("keeplight");
    const theirs = find("incumbent");
    const cells = figures.map(({ figure, digits }) => {
      const ratio = ours?.ok && theirs?.ok ? quotient(ours[figure], theirs[figure]) : undefined;
      return `${formatCell(ours, figure, digits).padStart(12)}${formatCell(theirs, figure, digits).padStart(10)}${(ratio?.toFixed(2) ?? "").padStart(8)}`;
    });
    return `${name.padEnd(width)}${cells.join("")}`;
  });
  return [`${"".padEnd(width)}${titles}`, `${"".padEnd(width)}${columns.join("")}`, ...lines];
}

/**
 * @param {Result | undefined} result
 * @param {Figure} figure
 * @param {number} digits
 */
function formatCell(result, figure, digits) {
  if (!result) return "";
  return result.ok ? result[figure].toFixed(digits) : "failed";
}

/**
 * @param {readonly Result[]} results
 * @param {import("./cases.mjs").Size} size
 */
function formatBars(results, size) {
  return computeBars(results, size).map(({ label, measured, limit, judged }) => {
    const shown = measured === undefined ? "not measured" : measured.toFixed(limit < 10 ? 2 : 0);
    const mark = measured === undefined || !judged ? "not judged" : measured <= limit ? "met" : "MISSED";
    return `${mark.padEnd(12)}${label}: ${shown}, at most ${limit}`;
  });
}
