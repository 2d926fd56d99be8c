import {
  decrypt,
  deleteFile,
  getBalance,
  getQuote,
  iterateFiles,
  type Signer,
  type UnfinishedUpload,
  type UploadOptions,
  upload,
  uploadCar,
  uploadEncrypted,
  uploadText,
  uploadTextEncrypted,
} from "../../src/index.ts";
import { cid } from "../support/fixtures.ts";

// Compiled by `npm run typecheck`, never run.

declare const signer: Signer;
const bytes = new Uint8Array(1);
const key = { apiKey: "key" };
const owner = { address: "0x00000000000000000000000000000000000000aa", authToken: "jwt:token" };

export async function requiresAnApiKey(variable: string | undefined): Promise<void> {
  const options: UploadOptions = key;
  const [file] = await upload(bytes, options);
  file.Hash satisfies string;
  // @ts-expect-error: the API key is missing
  await upload(bytes);
  // @ts-expect-error: so it is here
  await uploadText("text", { name: "a.txt" });
  // @ts-expect-error: and here
  await uploadCar("./a.car", {});
  // @ts-expect-error: and here
  await getBalance();
  // @ts-expect-error: and here
  await deleteFile("id");
  // @ts-expect-error: and here
  void iterateFiles();
  // @ts-expect-error: it may be missing
  await upload(bytes, { apiKey: variable });
  await getQuote(bytes, { apiKey: variable });
}

export async function requiresAnOwner(): Promise<void> {
  await uploadEncrypted(bytes, { ...key, signer });
  await uploadEncrypted(bytes, { ...key, ...owner });
  // @ts-expect-error: the owner is missing
  await uploadEncrypted(bytes, key);
  // @ts-expect-error: the token is missing
  await uploadTextEncrypted("text", { ...key, address: owner.address });
  // @ts-expect-error: the API key is missing
  await uploadEncrypted(bytes, owner);
  // @ts-expect-error: either addresses or conditions
  await uploadEncrypted(bytes, { ...key, signer, shareTo: owner.address, conditions: [] });
}

export async function requiresAnOwnerOrAKey(): Promise<void> {
  (await decrypt(cid, { signer })) satisfies Uint8Array;
  (await decrypt(cid, { key: "0b".repeat(32), as: "blob" })) satisfies Blob;
  await decrypt(cid, { key: "0b".repeat(32), signer });
  // @ts-expect-error: neither
  await decrypt(cid);
  // @ts-expect-error: neither
  await decrypt(cid, { as: "blob" });
}

/** A resumed upload has everything already. */
export async function resumes(error: UnfinishedUpload): Promise<void> {
  const [file] = await error.resume();
  await error.resume({ authToken: "jwt:fresh", cids: { [file.Name]: file.Hash } });
  // @ts-expect-error: no such option
  await error.resume({ pausMs: 0 });
}
