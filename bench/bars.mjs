// @ts-check
import { caseNames } from "./cases.mjs";

/** @typedef {import("./run-case.mjs").Result} Result */

/**
 * A promise about the results.
 *
 * @typedef {object} Bar
 * @property {string} says
 * @property {number | undefined} measured `undefined` if what it takes was not measured or failed
 * @property {number} limit that `measured` may not pass
 * @property {boolean} judged whether it is meant for results of this size
 */

/**
 * @param {readonly Result[]} results
 * @param {import("./cases.mjs").Size} size
 * @returns {Bar[]}
 */
export function barsOf(results, size) {
  const names = caseNames(size);

  /**
   * @param {string} name
   * @param {"keeplight" | "incumbent"} subject
   */
  const find = (name, subject) =>
    results.find((result) => result.case === name && result.subject === subject && result.ok);

  /** @param {string} name */
  const secondsRatio = (name) => quotient(find(name, "keeplight")?.seconds, find(name, "incumbent")?.seconds);

  /** @param {string} name */
  const peak = (name) => find(name, "keeplight")?.peakRssMiB;

  const yardstick = sum(find(names.upload, "keeplight")?.seconds, find(names.cipher, "keeplight")?.seconds);
  const large = "at full size";
  return [
    { says: `${names.upload}: time / incumbent's`, measured: secondsRatio(names.upload), limit: 0.9, judged: true },
    { says: `${names.upload}: peak RSS, MiB`, measured: peak(names.upload), limit: 120, judged: true },
    {
      says: `${names.encrypted}: time / incumbent's (${large})`,
      measured: secondsRatio(names.encrypted),
      limit: 0.3,
      judged: size.full,
    },
    { says: `${names.encrypted}: peak RSS, MiB`, measured: peak(names.encrypted), limit: 160, judged: true },
    {
      says: `${names.unpaced}: time / (plain upload + one pass of AES-256-GCM) (${large})`,
      measured: quotient(find(names.unpaced, "keeplight")?.seconds, yardstick),
      limit: 1.5,
      judged: size.full,
    },
    {
      says: `${names.folder}: time / incumbent's (${large})`,
      measured: secondsRatio(names.folder),
      limit: 0.6,
      judged: size.full,
    },
  ];
}

/**
 * @param {number | undefined} part
 * @param {number | undefined} whole
 */
export function quotient(part, whole) {
  return part === undefined || whole === undefined || whole === 0 ? undefined : part / whole;
}

/**
 * @param {number | undefined} one
 * @param {number | undefined} other
 */
function sum(one, other) {
  return one === undefined || other === undefined ? undefined : one + other;
}
