import { verifyProof } from "../../packages/proof/src/index.ts";
import { getProof, uploadCar } from "../../src/index.ts";
import { createLargeCar } from "./large-car.ts";

// Sends archives of a requested size in its own process, and reports its peak memory.
const [endpoints = "", apiKey = ""] = process.argv.slice(2);
const options = { apiKey, endpoints: JSON.parse(endpoints) };

/** The task to run. */
export interface Task {
  mib: number;
  /** Whether to get the proof of the file and verify it. */
  prove: boolean;
}

/** The result of the task. */
export interface Done {
  /** As in the upload node's response. */
  cid: string | undefined;
  /** As it was in the archive. */
  root: string;
  /** Of the file in the proof. */
  pieceSize: number | undefined;
  /** Peak memory of this process. */
  peakMib: number;
}

process.on("message", async ({ mib, prove }: Task) => {
  const { root, ...source } = createLargeCar(mib);
  const [stored] = await uploadCar(source, options);
  const proof = prove
    ? await verifyProof(await getProof(root, { endpoints: options.endpoints, timeoutMs: 600_000 }))
    : undefined;
  const peakMib = process.resourceUsage().maxRSS / 1024;
  process.send?.({ cid: stored?.Hash, root, pieceSize: proof?.pieceSize, peakMib } satisfies Done);
});
