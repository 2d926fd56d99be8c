// @ts-check
// One way to save a file from a gateway, in a process of its own.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { request } from "node:http";
import { pipeline } from "node:stream/promises";
import { decrypt, download } from "keeplight";
import { createOperation, measureTask } from "./measure.cjs";

/** @typedef {import("./measure.cjs").Task} Task */

/** @param {Task} task */
async function isSaved({ to, sha256 }) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(to), hash);
  return hash.digest("hex") === sha256;
}

/**
 * @param {Task} task
 * @param {() => Promise<unknown>} run
 */
const saveBy = (task, run) => createOperation({ run, check: () => isSaved(task) });

/** @param {Task} task */
const getUrl = ({ service, cid }) => `${service}/api/v0/cat/${cid}`;

await measureTask({
  curl: (task) =>
    saveBy(task, async () => {
      const [code] = await once(spawn("curl", ["-s", "-X", "POST", "-o", task.to, getUrl(task)]), "exit");
      if (code !== 0) throw new Error(`curl ended with ${code}`);
    }),

  node: (task) =>
    saveBy(task, async () => {
      const sent = request(getUrl(task), { method: "POST" }).end();
      const [response] = await once(sent, "response");
      await pipeline(response, createWriteStream(task.to));
      const file = await open(task.to);
      await file.sync();
      await file.close();
    }),

  download: (task) => saveBy(task, () => download(task.cid, { endpoints: { gateway: task.service }, to: task.to })),

  // Trusts the gateway, as curl does.
  unverified: (task) =>
    saveBy(task, () => download(task.cid, { endpoints: { gateway: task.service }, to: task.to, verifyCid: false })),

  decrypt: (task) => {
    const { cid, masterKey, service, to } = task;
    return saveBy(task, () => decrypt(cid, { key: masterKey, endpoints: { gateway: service }, to }));
  },
});
