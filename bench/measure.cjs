// @ts-check
// Runs one operation in this process, which does nothing else, and sends its measurement to the parent.

/**
 * The cost of one operation.
 *
 * @typedef {object} Measurement
 * @property {number} seconds wall time of the operation alone, without starting the process or loading modules
 * @property {number} cpuSeconds user and system time of all threads meanwhile
 * @property {number} peakRssMiB the process's peak memory since its start
 * @property {boolean} ok whether it succeeded with the right result
 * @property {string} [problem] why it failed
 */

/**
 * What to run, as sent by the parent.
 *
 * @typedef {object} Task
 * @property {string} operation
 * @property {string} service base URL of all the network's services
 * @property {boolean} journaled whether uploads are recorded in a journal
 * @property {string} path of what to upload
 * @property {string} to path of the result
 * @property {string} cid
 * @property {string} masterKey
 * @property {string} sha256 of the decrypted file
 * @property {number} count how many files to expect, or how many repetitions
 * @property {number} bytes how many to process
 */

/**
 * A prepared operation: it is measured, the check of its result that it resolves to is not.
 *
 * @typedef {() => Promise<() => boolean | Promise<boolean>>} Operation
 */

const MIB = 1024 * 1024;
const MICROSECONDS = 1_000_000;

/**
 * Prepares an operation from what runs and what checks the result.
 *
 * @template Result
 * @param {{ run: () => Promise<Result>, check: (result: Result) => boolean | Promise<boolean> }} parts
 * @returns {Operation}
 */
function createOperation({ run, check }) {
  return async () => {
    const result = await run();
    return () => check(result);
  };
}

/**
 * Measures the operation that the command line names, then ends the process.
 *
 * @param {Record<string, (task: Task) => Operation>} operations
 */
async function measureTask(operations) {
  // The parent has exited.
  process.on("disconnect", () => process.exit(1));
  /** @type {Task} */
  const task = JSON.parse(process.argv[2] ?? "{}");
  const prepare = operations[task.operation];
  if (!prepare) throw new Error(`there is no operation ${task.operation}`);
  const measurement = await measure(prepare(task));
  process.send?.(measurement, () => process.exit(0));
}

/**
 * @param {Operation} operation
 * @returns {Promise<Measurement>}
 */
async function measure(operation) {
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const read = () => {
    const seconds = (performance.now() - started) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    const peakRssMiB = (process.resourceUsage().maxRSS * 1024) / MIB;
    return { seconds, cpuSeconds: (cpu.user + cpu.system) / MICROSECONDS, peakRssMiB };
  };
  try {
    const check = await operation();
    const figures = read();
    const ok = await check();
    return { ...figures, ok, ...(ok ? {} : { problem: "its result is wrong" }) };
  } catch (error) {
    return { ...read(), ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

module.exports = { createOperation, measureTask };
