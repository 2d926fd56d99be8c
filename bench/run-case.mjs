// @ts-check
import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { nextMessage, start } from "./processes.mjs";

/** @typedef {import("./cases.mjs").Case} Case */
/** @typedef {import("./cases.mjs").Subject} Subject */
/** @typedef {import("./measure.cjs").Measurement} ClientMeasurement */
/** @typedef {ClientMeasurement & { serverCpuSeconds: number }} Measurement no time of the service (`NaN`) in an idle case */
/** @typedef {import("./measure.cjs").Task} Task */

/**
 * One line of the results: medians over the rounds, and the highest peak.
 *
 * @typedef {{ case: string, subject: Subject, seconds: number, cpuSeconds: number, serverCpuSeconds: number, peakRssMiB: number, ok: boolean }} Result
 */

/** @type {Record<Subject, URL>} */
const programs = {
  keeplight: new URL("./keeplight.mjs", import.meta.url),
  journaled: new URL("./keeplight.mjs", import.meta.url),
  incumbent: new URL("./incumbent.cjs", import.meta.url),
  bare: new URL("./limits.mjs", import.meta.url),
};

/**
 * Measures a case, alternating between its subjects unless it is idle, each time in a new process.
 *
 * @param {Case} benchCase
 * @param {{ service: import("node:child_process").ChildProcess, task: Omit<Task, "operation" | "path" | "count" | "bytes" | "journaled"> }} setup
 * @returns {Promise<Result[]>}
 */
export async function runCase(benchCase, { service, task }) {
  /** @type {Map<Subject, Measurement[]>} */
  const measured = new Map(benchCase.subjects.map((subject) => [subject, []]));
  const bare = { files: 1, bytes: benchCase.task.bytes ?? 0, shards: 0 };
  for (let round = 1; round <= benchCase.rounds; round++) {
    const runSubject = async (/** @type {Subject} */ subject) => {
      const all = { ...task, ...benchCase.task, operation: benchCase.operation };
      const measurement = { ...(await measureOnce(subject, all)), serverCpuSeconds: Number.NaN };
      if (!benchCase.idle) {
        const { received, cpuSeconds } = await requestReceived(service);
        measurement.serverCpuSeconds = cpuSeconds;
        if (benchCase.received) checkReceived(measurement, received, subject === "bare" ? bare : benchCase.received);
      }
      rmSync(task.to, { force: true });
      console.error(
        `${benchCase.name}, ${round} of ${benchCase.rounds}, ${subject}: ${formatMeasurement(measurement)}`,
      );
      measured.get(subject)?.push(measurement);
    };
    if (benchCase.idle) {
      await Promise.all(benchCase.subjects.map(runSubject));
      await requestReceived(service);
    } else for (const subject of benchCase.subjects) await runSubject(subject);
  }
  return benchCase.subjects.map((subject) => summarize(benchCase.name, subject, measured.get(subject) ?? []));
}

/**
 * @param {Subject} subject
 * @param {Partial<Task>} task
 * @returns {Promise<ClientMeasurement>}
 */
async function measureOnce(subject, task) {
  const started = performance.now();
  const child = start(programs[subject], { ...task, journaled: subject === "journaled" });
  try {
    return /** @type {ClientMeasurement} */ (await nextMessage(child));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { seconds: (performance.now() - started) / 1000, cpuSeconds: 0, peakRssMiB: 0, ok: false, problem };
  }
}

/**
 * Fails a measurement whose upload the service has not received as expected.
 *
 * @param {Measurement} measurement
 * @param {import("./service.mjs").Received} received
 * @param {import("./service.mjs").Received} expected
 */
function checkReceived(measurement, received, expected) {
  if (!measurement.ok || isDeepStrictEqual(received, expected)) return;
  measurement.ok = false;
  measurement.problem = `the service received ${JSON.stringify(received)}`;
}

/**
 * @param {import("node:child_process").ChildProcess} service
 * @returns {Promise<{ received: import("./service.mjs").Received, cpuSeconds: number }>} since the last request
 */
async function requestReceived(service) {
  service.send("received?");
  return /** @type {Awaited<ReturnType<typeof requestReceived>>} */ (await nextMessage(service));
}

/** @param {Measurement} measurement */
function formatMeasurement({ seconds, cpuSeconds, serverCpuSeconds, peakRssMiB, ok, problem }) {
  const server = Number.isNaN(serverCpuSeconds) ? "" : `, server CPU ${serverCpuSeconds.toFixed(2)} s`;
  const figures = `${seconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s${server}, ${peakRssMiB.toFixed(0)} MiB`;
  return ok ? figures : `FAILED after ${figures}: ${problem}`;
}

/**
 * @param {string} name
 * @param {Subject} subject
 * @param {Measurement[]} rounds
 * @returns {Result}
 */
function summarize(name, subject, rounds) {
  return {
    case: name,
    subject,
    seconds: median(rounds.map(({ seconds }) => seconds)),
    cpuSeconds: median(rounds.map(({ cpuSeconds }) => cpuSeconds)),
    serverCpuSeconds: median(rounds.map(({ serverCpuSeconds }) => serverCpuSeconds)),
    peakRssMiB: Math.max(...rounds.map(({ peakRssMiB }) => peakRssMiB)),
    ok: rounds.every(({ ok }) => ok),
  };
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const high = sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0;
  return (low + high) / 2;
}
