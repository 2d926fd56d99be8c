// @ts-check
// Runs one operation in this process, which exists for nothing else, and sends its figures to the parent.

/**
 * What one operation took.
 *
 * @typedef {object} Measurement
 * @property {number} seconds wall time of the operation alone, without starting the process or loading modules
 * @property {number} cpuSeconds user and system time of all threads meanwhile
 * @property {number} peakRssMiB the most memory the process ever held, from its start
 * @property {boolean} ok whether it succeeded and its result proved right
 * @property {string} [problem] why it failed
 */

/**
 * What to do, as the parent hands it over.
 *
 * @typedef {object} Task
 * @property {string} operation
 * @property {string} service base URL of all the network's services
 * @property {string} path what to upload
 * @property {string} to where to save
 * @property {string} cid
 * @property {string} masterKey
 * @property {string} sha256 of what a decryption must give
 * @property {number} count how many files to expect, or how many times to do it
 * @property {number} bytes how many to go through
 */

/**
 * An operation made ready: `run` is measured, `check` is not.
 *
 * @typedef {{ run: () => Promise<unknown>, check: (result: any) => boolean | Promise<boolean> }} Operation
 */

const MIB = 1024 * 1024;
const MICROSECONDS = 1_000_000;

/**
 * Measures the operation that the command line names, then ends the process.
 *
 * @param {Record<string, (task: Task) => Operation>} operations
 */
async function measureTask(operations) {
  // Whoever asked is gone.
  process.on("disconnect", () => process.exit(1));
  /** @type {Task} */
  const task = JSON.parse(process.argv[2] ?? "{}");
  const make = operations[task.operation];
  if (!make) throw new Error(`there is no operation ${task.operation}`);
  const measurement = await measure(make(task));
  process.send?.(measurement, () => process.exit(0));
}

/**
 * @param {Operation} operation
 * @returns {Promise<Measurement>}
 */
async function measure({ run, check }) {
  const started = performance.now();
  const cpuBefore = process.cpuUsage();
  const figures = () => {
    const seconds = (performance.now() - started) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    const peakRssMiB = (process.resourceUsage().maxRSS * 1024) / MIB;
    return { seconds, cpuSeconds: (cpu.user + cpu.system) / MICROSECONDS, peakRssMiB };
  };
  try {
    const result = await run();
    const taken = figures();
    const ok = await check(result);
    return { ...taken, ok, ...(ok ? {} : { problem: "its result is wrong" }) };
  } catch (error) {
    return { ...figures(), ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

module.exports = { measureTask };
