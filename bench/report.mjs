// @ts-check
import { barsOf, quotient } from "./bars.mjs";

/** @typedef {import("./run-case.mjs").Result} Result */

/** @typedef {"seconds" | "cpuSeconds" | "peakRssMiB"} Figure */

/** @type {readonly { figure: Figure, title: string, digits: number }[]} */
const figures = [
  { figure: "seconds", title: "seconds", digits: 2 },
  { figure: "cpuSeconds", title: "CPU seconds", digits: 2 },
  { figure: "peakRssMiB", title: "peak RSS, MiB", digits: 0 },
];

/**
 * The results as a table, keeplight beside the incumbent, and the bars beneath it.
 *
 * @param {readonly Result[]} results
 * @param {import("./cases.mjs").Size} size
 */
export function report(results, size) {
  return [...table(results), "", ...bars(results, size)].join("\n");
}

/** @param {readonly Result[]} results */
function table(results) {
  const names = [...new Set(results.map((result) => result.case))];
  const width = Math.max(...names.map((name) => name.length));
  const group = 30;
  const titles = figures.map(({ title }) => title.padStart(group)).join("");
  const columns = figures.map(() => `${"keeplight".padStart(12)}${"incumbent".padStart(10)}${"ratio".padStart(8)}`);
  const lines = names.map((name) => {
    /** @param {string} subject */
    const find = (subject) => results.find((result) => result.case === name && result.subject === subject);
    const ours = find("keeplight");
    const theirs = find("incumbent");
    const cells = figures.map(({ figure, digits }) => {
      const ratio = ours?.ok && theirs?.ok ? quotient(ours[figure], theirs[figure]) : undefined;
      return `${cell(ours, figure, digits).padStart(12)}${cell(theirs, figure, digits).padStart(10)}${(ratio?.toFixed(2) ?? "").padStart(8)}`;
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
function cell(result, figure, digits) {
  if (!result) return "";
  return result.ok ? result[figure].toFixed(digits) : "failed";
}

/**
 * @param {readonly Result[]} results
 * @param {import("./cases.mjs").Size} size
 */
function bars(results, size) {
  return barsOf(results, size).map(({ says, measured, limit, judged }) => {
    const shown = measured === undefined ? "not measured" : measured.toFixed(limit < 10 ? 2 : 0);
    const mark = measured === undefined || !judged ? "not judged" : measured <= limit ? "met" : "MISSED";
    return `${mark.padEnd(12)}${says}: ${shown}, at most ${limit}`;
  });
}
