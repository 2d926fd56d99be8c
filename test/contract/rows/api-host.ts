import { createApiKey, getAuthMessage } from "../../../src/account/api-key.ts";
import { createOneTimeToken, getOneTimeMessage } from "../../../src/account/one-time-token.ts";
import { ipnsGenerateKey, ipnsRemoveKey } from "../../../src/ipns/keys.ts";
import { ipnsListRecords, ipnsPublishRecord } from "../../../src/ipns/records.ts";
import { getTicker } from "../../../src/payment/ticker.ts";
import { getDealStatus } from "../../../src/storage/deal-status.ts";
import { deleteFile } from "../../../src/storage/delete-file.ts";
import { getFileInfo } from "../../../src/storage/file-info.ts";
import { iterateFiles, listFiles } from "../../../src/storage/list-files.ts";
import { getProof } from "../../../src/storage/proof.ts";
import { getQuote } from "../../../src/storage/quote.ts";
import { getBalance } from "../../../src/storage/usage.ts";
import { address, apiKey, bearer, cid, endpoints, type Row, signature, signer } from "../row.ts";

const { api } = endpoints;
const message = "Please sign this message to prove you are owner of this account: 6f1c";
const id = "aaab8053-0f1e-4482-9f84-d413fad14266";
const keyName = "6cda213e3a534f8388665dee77a26458";
const ipnsId = "k51qzi5uqu5dm6uvby6428rfpcv1vcba6hxq6vcu52qtfsx3np4536jkr71gnu";

const info = {
  fileSizeInBytes: "15256",
  cid,
  encryption: false,
  fileName: "images",
  mimeType: null,
  notYetKnown: "kept",
};
const listed = {
  publicKey: address,
  fileName: "flow 1.png",
  mimeType: "image/png",
  txHash: "",
  status: "queued",
  createdAt: 1662880331683,
  fileSizeInBytes: "31735",
  cid,
  id,
  lastUpdate: 1662883207149,
  encryption: true,
};
const deal = {
  chainDealID: 180313,
  endEpoch: 4_000_000,
  publishCID: cid,
  storageProvider: "f017840",
  dealStatus: "Deal active",
  dealUUID: id,
  startEpoch: 3_000_000,
  aggregateIn: "",
  providerCollateral: "0",
  pieceCID: "baga6ea4seaqp6fuu72pwnnea",
  payloadCid: cid,
  pieceSize: 512,
  carFileSize: 310,
  lastUpdate: 1662883207149,
  dealId: 180313,
  miner: "f017840",
  content: 7,
};
const hash = "1b".repeat(32);
const proof = {
  pieceCID: "baga6ea4seaqp6fuu72pwnnea",
  dealInfo: [
    {
      dealId: 180313,
      storageProvider: "17840",
      proof: {
        verifierData: { commPc: hash, sizePc: "200" },
        inclusionProof: {
          proofIndex: { index: "ffe08", path: [hash] },
          proofSubtree: { index: "3800", path: [hash] },
        },
        indexRecord: { checksum: hash.slice(32), proofIndex: hash, proofSubtree: 7340032, size: 512 },
      },
    },
  ],
};
const usage = { dataLimit: 1_073_741_824, dataUsed: 62_512_300, dataLimitPermanent: 10, dataUsedPermanent: 2 };

export const apiHost: Row[] = [
  {
    of: "GET /api/auth/get_auth_message",
    name: "getAuthMessage, the address in lower case",
    call: (options) => getAuthMessage(address.toUpperCase().replace("0X", "0x"), options),
    sends: [{ method: "GET", url: `${api}/api/auth/get_auth_message?publicKey=${address}`, headers: {} }],
    answers: message,
    gives: message,
    failsLike: "request",
    misread: "The API host gave no message to sign",
  },
  {
    of: "GET /api/auth/get_message",
    name: "getOneTimeMessage",
    call: (options) => getOneTimeMessage(address, options),
    sends: [{ method: "GET", url: `${api}/api/auth/get_message?publicKey=${address}`, headers: {} }],
    answers: message,
    gives: message,
    failsLike: "request",
    misread: "The API host gave no message to sign",
  },
  {
    of: "GET /api/auth/get_message",
    name: "createOneTimeToken with a signer",
    call: (options) => createOneTimeToken({ signer, ...options }),
    sends: [{ method: "GET", url: `${api}/api/auth/get_message?publicKey=${address}`, headers: {} }],
    answers: message,
    gives: `${address}$${signature}`,
    failsLike: "request",
    misread: "The API host gave no message to sign",
  },
  {
    of: "POST /api/auth/create_api_key",
    name: "createApiKey with a signature",
    call: (options) => createApiKey({ address, signedMessage: signature, ...options }),
    sends: [
      {
        method: "POST",
        url: `${api}/api/auth/create_api_key`,
        headers: {},
        body: { json: { publicKey: address, signedMessage: signature } },
      },
    ],
    answers: apiKey,
    gives: apiKey,
    failsLike: "http",
    misread: "The API host gave no API key",
  },
  {
    of: "POST /api/auth/create_api_key",
    name: "createApiKey with a signer",
    call: (options) => createApiKey({ signer, ...options }),
    sends: [
      { method: "GET", url: `${api}/api/auth/get_auth_message?publicKey=${address}`, headers: {} },
      {
        method: "POST",
        url: `${api}/api/auth/create_api_key`,
        headers: {},
        body: { json: { publicKey: address, signedMessage: signature } },
      },
    ],
    answers: ({ method }: { method: string }) => (method === "GET" ? message : apiKey),
    gives: apiKey,
    // The message comes first, and it is refused first.
    failsLike: "request",
    misread: "The API host gave no message to sign",
  },
  {
    of: "GET /api/lighthouse/deal_status",
    name: "getDealStatus",
    call: (options) => getDealStatus(cid, options),
    sends: [{ method: "GET", url: `${api}/api/lighthouse/deal_status?cid=${cid}`, headers: {} }],
    answers: [deal],
    gives: [deal],
    failsLike: "request",
    misread: "The API host gave no list of deals",
  },
  {
    of: "GET /api/lighthouse/deal_status",
    name: "getDealStatus of a file without a deal",
    call: (options) => getDealStatus(cid, options),
    sends: [{ method: "GET", url: `${api}/api/lighthouse/deal_status?cid=${cid}`, headers: {} }],
    answers: [],
    gives: [],
    failsLike: "request",
    misread: "The API host gave no list of deals",
  },
  {
    of: "GET /api/lighthouse/file_info",
    name: "getFileInfo, unknown fields kept",
    call: (options) => getFileInfo(cid, options),
    sends: [{ method: "GET", url: `${api}/api/lighthouse/file_info?cid=${cid}`, headers: {} }],
    answers: info,
    gives: info,
    failsLike: "http",
    misread: "The API host gave no file info",
  },
  {
    of: "GET /api/lighthouse/get_ticker",
    name: "getTicker",
    call: (options) => getTicker("FIL", options),
    sends: [{ method: "GET", url: `${api}/api/lighthouse/get_ticker?symbol=FIL`, headers: {} }],
    answers: 2.75,
    gives: 2.75,
    failsLike: "ticker",
    misread: "The API host gave no price above 0",
  },
  {
    of: "GET /api/lighthouse/get_proof",
    name: "getProof",
    call: (options) => getProof(cid, options),
    sends: [{ method: "GET", url: `${api}/api/lighthouse/get_proof?cid=${cid}`, headers: {} }],
    answers: proof,
    gives: proof,
    failsLike: "proof",
    misread: "The API host gave no proof",
  },
  {
    of: "GET /api/user/user_data_usage",
    name: "getBalance",
    call: (options) => getBalance({ apiKey, ...options }),
    sends: [{ method: "GET", url: `${api}/api/user/user_data_usage`, headers: bearer }],
    answers: usage,
    gives: usage,
    failsLike: "request",
    misread: "The API host gave no data usage",
  },
  {
    of: "GET /api/user/user_data_usage",
    name: "getQuote with an API key",
    call: (options) => getQuote(new Uint8Array(300), { name: "photos/a.JPG", apiKey, ...options }),
    sends: [{ method: "GET", url: `${api}/api/user/user_data_usage`, headers: bearer }],
    answers: usage,
    gives: {
      metaData: [{ fileSize: 300, mimeType: "image/jpeg", fileName: "photos/a.JPG" }],
      totalSize: 300,
      usage: { dataLimit: 1_073_741_824, dataUsed: 62_512_300, dataLeft: 1_011_229_224 },
    },
    failsLike: "request",
    misread: "The API host gave no data usage",
  },
  {
    of: "GET /api/user/files_uploaded",
    name: "listFiles from the start",
    call: (options) => listFiles({ apiKey, ...options }),
    sends: [{ method: "GET", url: `${api}/api/user/files_uploaded?lastKey=null`, headers: bearer }],
    answers: { fileList: [listed], totalFiles: 75 },
    gives: { fileList: [listed], totalFiles: 75 },
    failsLike: "request",
    misread: "The API host gave no list of files",
  },
  {
    of: "GET /api/user/files_uploaded",
    name: "listFiles after a file",
    call: (options) => listFiles({ apiKey, lastKey: id, ...options }),
    sends: [{ method: "GET", url: `${api}/api/user/files_uploaded?lastKey=${id}`, headers: bearer }],
    answers: { fileList: [], totalFiles: 75 },
    gives: { fileList: [], totalFiles: 75 },
    failsLike: "request",
    misread: "The API host gave no list of files",
  },
  {
    of: "GET /api/user/files_uploaded",
    name: "iterateFiles",
    call: async (options) => {
      const files = [];
      for await (const file of iterateFiles({ apiKey, ...options })) files.push(file);
      return files;
    },
    sends: [
      { method: "GET", url: `${api}/api/user/files_uploaded?lastKey=null`, headers: bearer },
      { method: "GET", url: `${api}/api/user/files_uploaded?lastKey=${id}`, headers: bearer },
    ],
    answers: ({ url }: { url: string }) => ({ fileList: url.endsWith("=null") ? [listed] : [], totalFiles: 1 }),
    gives: [listed],
    failsLike: "request",
    misread: "The API host gave no list of files",
  },
  {
    of: "DELETE /api/user/delete_file",
    name: "deleteFile",
    call: (options) => deleteFile(id, { apiKey, ...options }),
    sends: [{ method: "DELETE", url: `${api}/api/user/delete_file?id=${id}`, headers: bearer }],
    answers: { message: "File deleted successfully." },
    gives: { message: "File deleted successfully." },
    failsLike: "request",
    misread: "The API host gave no word that the file is deleted",
  },
  {
    of: "GET /api/ipns/generate_key",
    name: "ipnsGenerateKey",
    call: (options) => ipnsGenerateKey({ apiKey, ...options }),
    sends: [{ method: "GET", url: `${api}/api/ipns/generate_key`, headers: bearer }],
    answers: { ipnsName: keyName, ipnsId },
    gives: { ipnsName: keyName, ipnsId },
    failsLike: "request",
    misread: "The API host gave no IPNS key",
  },
  {
    of: "GET /api/ipns/get_ipns_records",
    name: "ipnsListRecords",
    call: (options) => ipnsListRecords({ apiKey, ...options }),
    sends: [{ method: "GET", url: `${api}/api/ipns/get_ipns_records`, headers: bearer }],
    answers: [{ ipnsName: keyName, ipnsId, publicKey: address, cid, lastUpdate: 1684855771773 }],
    gives: [{ ipnsName: keyName, ipnsId, publicKey: address, cid, lastUpdate: 1684855771773 }],
    failsLike: "request",
    misread: "The API host gave no list of IPNS records",
  },
  {
    of: "GET /api/ipns/publish_record",
    name: "ipnsPublishRecord, the key name escaped",
    call: (options) => ipnsPublishRecord({ cid, keyName: "a&b=c?#", apiKey, ...options }),
    sends: [
      {
        method: "GET",
        url: `${api}/api/ipns/publish_record?cid=${cid}&keyName=a%26b%3Dc%3F%23`,
        headers: bearer,
      },
    ],
    answers: { Name: ipnsId, Value: `/ipfs/${cid}` },
    gives: { Name: ipnsId, Value: `/ipfs/${cid}` },
    failsLike: "request",
    misread: "The API host gave no word that the record is published",
  },
  {
    of: "DELETE /api/ipns/remove_key",
    name: "ipnsRemoveKey",
    call: (options) => ipnsRemoveKey(keyName, { apiKey, ...options }),
    sends: [{ method: "DELETE", url: `${api}/api/ipns/remove_key?keyName=${keyName}`, headers: bearer }],
    answers: { Keys: [{ Name: keyName, Id: ipnsId }] },
    gives: { Keys: [{ Name: keyName, Id: ipnsId }] },
    failsLike: "request",
    misread: "The API host gave no word that the IPNS key is removed",
  },
];
