import { Wallet } from "ethers";
import { type Endpoints, openJournal, uploadEncrypted } from "../../src/index.ts";

/** What a worker is to do with a journal. */
export interface JournalJob {
  work: "upload" | "resume" | "list";
  /** Of the journal. */
  name: string;
  endpoints: Endpoints;
  apiKey: string;
  privateKey: string;
}

export const NAME_IN_WORKER = "from a worker.txt";
export const TEXT_IN_WORKER = "written in a worker";

/** Stops, in effect, after the first key node: so long is the pause. */
const STOPPED = { pauseMs: 2 ** 30 };

async function run({ work, name, endpoints, apiKey, privateKey }: JournalJob): Promise<unknown> {
  const journal = await openJournal({ name });
  const owner = { signer: new Wallet(privateKey), endpoints, apiKey, retryMs: 0 };
  if (work === "list") return journal.list();
  if (work === "resume") return (await journal.resumeAll({ ...owner, pauseMs: 0 })).map(toReport);
  const onProgress = ({ phase, loaded }: { phase: string; loaded: number }) => {
    if (phase === "saving-keys" && loaded === 1) postMessage({ result: "saving" });
  };
  return uploadEncrypted(new File([TEXT_IN_WORKER], NAME_IN_WORKER), { ...owner, ...STOPPED, journal, onProgress });
}

/** A report without an error's class, which no message keeps. */
function toReport(report: { id: string; error?: unknown }) {
  const { id, error } = report;
  return error === undefined ? { id } : { id, code: (error as { code?: string }).code };
}

globalThis.addEventListener("message", ({ data }: MessageEvent<JournalJob>) => {
  run(data).then(
    (result) => postMessage({ result }),
    (error: unknown) => postMessage({ error: String(error) }),
  );
});
