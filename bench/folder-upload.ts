import { Wallet } from "ethers";
import { type Endpoints, openJournal, uploadEncrypted } from "../src/index.ts";

/** What a page needs to upload for an account. */
interface Account {
  endpoints: Endpoints;
  apiKey: string;
  privateKey: string;
}

/** Encrypts and uploads small files in one call, as the web app is set up; returns how long that takes, in seconds. */
export async function measureUpload({ endpoints, apiKey, privateKey }: Account, count: number): Promise<number> {
  const files = Array.from({ length: count }, (_, at) => new File([`content of ${at}`], `file ${at}.txt`));
  const journal = await openJournal({ name: "keeplight bench" });
  const startedAt = performance.now();
  await uploadEncrypted(files, { endpoints, apiKey, signer: new Wallet(privateKey), pauseMs: 0, journal });
  return (performance.now() - startedAt) / 1000;
}
