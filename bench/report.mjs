// @ts-check
import { computeBars, quotient } from "./bars.mjs";

/** @typedef {import("./run-case.mjs").Result} Result */

/** @typedef {"seconds" | "cpuSeconds" | "serverCpuSeconds" | "peakRssMiB"} Figure */

/** @type {readonly { figure: Figure, title: string, digits: number }[]} */
const figures = [
  { figure: "seconds", title: "seconds", digits: 2 },
  { figure: "cpuSeconds", title: "CPU seconds", digits: 2 },
  { figure: "serverCpuSeconds", title: "server's CPU seconds", digits: 2 },
  { figure: "peakRssMiB", title: "peak RSS, MiB", digits: 0 },
];

const MIB = 1024 * 1024;

/**
 * Formats the results as a table, keeplight beside the incumbent, followed by the machine's limits and the bars.
 *
 * @param {readonly Result[]} results
 * @param {import("./cases.mjs").Size} size
 */
export function report(results, size) {
  const compared = results.filter(({ subject }) => subject !== "bare");
  return [...formatTable(compared), "", ...formatLimits(results, size), "", ...formatBars(results, size)].join("\n");
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
      return `${formatCell(ours, figure, digits).padStart(12)}${formatCell(theirs, figure, digits).padStart(10)}${(ratio ? ratio.toFixed(2) : "").padStart(8)}`;
    });
    return `${name.padEnd(width)}${cells.join("")}`;
  });
  return [`${"".padEnd(width)}${titles}`, `${"".padEnd(width)}${columns.join("")}`, ...lines];
}

/**
 * @param {readonly Result[]} results
 * @param {import("./cases.mjs").Size} size
 */
function formatLimits(results, { bytes }) {
  const limits = results.filter(({ subject }) => subject === "bare");
  const width = Math.max(...limits.map((limit) => limit.case.length));
  const times = figures.filter(({ figure }) => figure !== "peakRssMiB");
  const titles = [...times.map(({ title }) => title), "MiB/s", "keeplight's MiB/s"];
  const lines = limits.map((limit) => {
    const ours = results.find((result) => result.case === limit.case && result.subject === "keeplight");
    const speeds = [limit, ours].map((result) => (result?.ok ? (bytes / MIB / result.seconds).toFixed(0) : ""));
    const cells = [...times.map(({ figure, digits }) => formatCell(limit, figure, digits)), ...speeds];
    return `${limit.case.padEnd(width)}${cells.map((cell) => cell.padStart(22)).join("")}`;
  });
  const heading = "limits: plain Node, from memory; uploads only send";
  return [`${heading.padEnd(width)}${titles.map((title) => title.padStart(22)).join("")}`, ...lines];
}

/**
 * @param {Result | undefined} result
 * @param {Figure} figure
 * @param {number} digits
 */
function formatCell(result, figure, digits) {
  if (!result) return "";
  if (!result.ok) return "failed";
  return Number.isNaN(result[figure]) ? "" : result[figure].toFixed(digits);
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
