// @ts-check
import { nameCases, SINGLES } from "./cases.mjs";

/** @typedef {import("./run-case.mjs").Result} Result */

/**
 * A goal for the results.
 *
 * @typedef {object} Bar
 * @property {string} label
 * @property {number | undefined} measured `undefined` if a case that it depends on failed
 * @property {number} limit the maximum of `measured`
 * @property {boolean} judged whether it applies at this size
 */

/**
 * @param {readonly Result[]} results
 * @param {import("./cases.mjs").Size} size
 * @returns {Bar[]}
 */
export function computeBars(results, size) {
  const names = nameCases(size);

  /**
   * @param {string} name
   * @param {import("./cases.mjs").Subject} subject
   */
  const find = (name, subject) =>
    results.find((result) => result.case === name && result.subject === subject && result.ok);

  /** @param {string} name */
  const secondsRatio = (name) => quotient(find(name, "keeplight")?.seconds, find(name, "incumbent")?.seconds);

  /** @param {string} name */
  const peak = (name) => find(name, "keeplight")?.peakRssMiB;

  const reference = sum(find(names.upload, "keeplight")?.seconds, find(names.cipher, "bare")?.seconds);
  const large = "at full size";
  return [
    { label: `${names.upload}: time / incumbent's`, measured: secondsRatio(names.upload), limit: 0.9, judged: true },
    { label: `${names.upload}: peak RSS, MiB`, measured: peak(names.upload), limit: 120, judged: true },
    {
      label: `${names.encrypted}: time / incumbent's (${large})`,
      measured: secondsRatio(names.encrypted),
      limit: 0.3,
      judged: size.full,
    },
    { label: `${names.encrypted}: peak RSS, MiB`, measured: peak(names.encrypted), limit: 160, judged: true },
    {
      label: `${names.unpaced}: time / (plain upload + one pass of AES-256-GCM and two of SHA-256) (${large})`,
      measured: quotient(find(names.unpaced, "keeplight")?.seconds, reference),
      limit: 1.3,
      judged: size.full,
    },
    {
      label: `${names.unpaced}: time with a journal / without (${large})`,
      measured: quotient(find(names.unpaced, "journaled")?.seconds, find(names.unpaced, "keeplight")?.seconds),
      limit: 1.02,
      judged: size.full,
    },
    {
      label: `${names.singles}: more milliseconds per file with a journal`,
      measured: more(find(names.singles, "journaled")?.seconds, find(names.singles, "keeplight")?.seconds),
      limit: 5,
      judged: true,
    },
    {
      label: `${names.folder}: time / incumbent's (${large})`,
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

/**
 * The difference of two times for all single files, in milliseconds per file.
 *
 * @param {number | undefined} one
 * @param {number | undefined} other
 */
function more(one, other) {
  return one === undefined || other === undefined ? undefined : ((one - other) * 1000) / SINGLES;
}
