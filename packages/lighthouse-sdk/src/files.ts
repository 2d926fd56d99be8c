import { httpError, plain, toData } from "@keeplight/kavach/shared";
import {
  deleteFile as deleteStoredFile,
  getDealStatus,
  getFileInfo as getInfo,
  getProof,
  type Deal as KitDeal,
  type ListedFile as KitFile,
  listBlobs,
  listFiles,
} from "keeplight";
import type { Complete } from "./types.ts";

/** A storage provider's deal to keep a file. */
type Deal = Complete<KitDeal> & { bundleId: string };

/** One file of an account. */
type ListedFile = Complete<KitFile>;

type FilePage = { fileList: ListedFile[]; totalFiles: number };

/** What the network knows of a file. */
type FileInfo = Pick<ListedFile, "fileSizeInBytes" | "cid" | "encryption" | "fileName" | "mimeType">;

/** A Merkle path. */
type MerklePath = { index: string; path: string[] };

/** Where a file is in the data of a deal. */
type ProofData = {
  pieceCID: string;
  dealInfo: {
    dealId: number;
    storageProvider: string;
    proof: {
      verifierData: { commPc: string; sizePc: string };
      inclusionProof: {
        proofIndex: MerklePath;
        proofSubtree: MerklePath;
        indexRecord: { checksum: string; proofIndex: string; proofSubtree: number; size: number };
      };
    };
  }[];
};

/** Lists the deals of a file. */
export async function dealStatus(cid: string): Promise<{ data: Deal[] }> {
  return toData(plain, (endpoints) => getDealStatus(cid, { endpoints }) as Promise<Deal[]>);
}

/** Returns what the network knows of a file. */
export async function getFileInfo(cid: string): Promise<{ data: FileInfo }> {
  return toData(httpError, (endpoints) => getInfo(cid, { endpoints }) as Promise<FileInfo>);
}

/**
 * Returns a page of the account's files.
 *
 * @param lastKey - `id` of the file after which to continue
 * @param fileType - `all`, or a storage class
 */
export async function getUploads(
  authToken: string,
  lastKey: string | null = null,
  fileType = "all",
): Promise<{ data: FilePage }> {
  return toData(
    plain,
    (endpoints) => listFiles({ apiKey: authToken, lastKey, storage: fileType, endpoints }) as Promise<FilePage>,
  );
}

/** Deletes a file of the account, by the `id` of the listing. */
export async function deleteFile(authToken: string, fileId: string): Promise<{ data: { message: string } }> {
  return toData(plain, (endpoints) => deleteStoredFile(fileId, { apiKey: authToken, endpoints }));
}

/** Deletes a file of the storage class `walrus`. */
export async function deleteFileWalrus(authToken: string, fileId: string): Promise<{ data: { message: string } }> {
  return toData(plain, (endpoints) => deleteStoredFile(fileId, { apiKey: authToken, storage: "walrus", endpoints }));
}

/** Lists the blobs that hold a file of the storage class `walrus`. */
export async function walrusBlobs(cid: string): Promise<{ blobIds: string[] }> {
  const { data } = await toData(plain, (endpoints) => listBlobs(cid, { endpoints }));
  return { blobIds: data };
}

/** Returns the proof that a file is in the data of its deals (version 0.4.3). */
export async function posdi(cid: string): Promise<{ data: ProofData }> {
  return toData(plain, (endpoints) => getProof(cid, { endpoints }) as Promise<unknown> as Promise<ProofData>);
}
