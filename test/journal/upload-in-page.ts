import { Wallet } from "ethers";
import { type Endpoints, openJournal, uploadEncrypted } from "../../src/index.ts";

/** What a page is to upload, and to resume once the browser was started again. */
export interface PageJob {
  texts: [name: string, text: string][];
  apiKey: string;
  privateKey: string;
  endpoints: Endpoints;
  pauseMs: number;
}

/** The outcome of resuming. */
export interface PageReport {
  resumed: number;
  /** The names of the files in the results. */
  names: string[];
  errors: string[];
  /** Open operations at the end. */
  left: number;
}

/** The functions of the page. */
export interface UploadPage {
  upload(job: PageJob): Promise<void>;
  resumeAll(job: PageJob): Promise<PageReport>;
}

const name = "uploads";

function prepare({ texts, apiKey, privateKey, endpoints, pauseMs }: PageJob) {
  const source = texts.map(([name, text]) => new File([text], name, { lastModified: 1 }));
  return { source, owner: { apiKey, signer: new Wallet(privateKey), endpoints, pauseMs, retryMs: 0 } };
}

const page: UploadPage = {
  async upload(job) {
    const { source, owner } = prepare(job);
    await uploadEncrypted(source, { ...owner, journal: await openJournal({ name }) });
  },
  async resumeAll(job) {
    const { source, owner } = prepare(job);
    const journal = await openJournal({ name });
    const reports = await journal.resumeAll({ ...owner, source });
    const results = reports.flatMap((report) => ("kind" in report && report.kind === "upload" ? report.result : []));
    return {
      resumed: reports.length,
      names: results.map(({ Name }) => Name),
      errors: reports.flatMap((report) => ("error" in report ? [String(report.error)] : [])),
      left: (await journal.list()).length,
    };
  },
};

Object.assign(globalThis, { uploadPage: page });
