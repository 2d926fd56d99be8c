import { expect } from "vitest";
import { samples, solanaSamples } from "../../access-conditions/samples.ts";
import {
  address,
  cid,
  endpoints,
  jwt,
  keyShards,
  other,
  type Row,
  refreshToken,
  signature,
  type Wire,
} from "../row.ts";

const { keyNodes } = endpoints;
const owner = { address, authToken: jwt };
const headers = { authorization: `Bearer ${jwt}` };
const message = "Please sign this message to prove you are owner of this account: 6f1c";
const notSuccess = 'The key node did not respond with "success"';
const allFive = { nodes: [1, 2, 3, 4, 5] };
const conditions = [samples.token, { ...samples.custom, id: 2 }];
const known = {
  aggregator: "([1] and [2])",
  owner: address,
  cid,
  sharedTo: [other],
  conditions,
  conditionsSolana: [],
  notYetKnown: "kept",
};

/** One request to each of the five nodes, in their order. */
function toEachNode(method: string, path: string, json: (node: number) => unknown): Wire[] {
  return [1, 2, 3, 4, 5].map((node) => ({
    method,
    url: `${keyNodes}${path}/${node}`,
    headers,
    body: { json: json(node) },
  }));
}

/** The same request to three nodes, whichever they are. */
function toThreeNodes(path: string, json: unknown): (sent: readonly Wire[]) => Wire[] {
  return (sent) => {
    const nodes = sent.map(({ url }) => Number(url.at(-1)));
    expect(new Set(nodes).size).toBe(3);
    expect(nodes.every((node) => node >= 1 && node <= 5)).toBe(true);
    return nodes.map((node) => ({ method: "POST", url: `${keyNodes}${path}/${node}`, headers, body: { json } }));
  };
}

export const keyNodeRows: Row[] = [
  {
    of: "POST /api/fileAccessConditions/{n}",
    name: "kavachSetAccessConditions with shards",
    call: (kit) =>
      kit.kavachSetAccessConditions(cid, {
        ...owner,
        conditions,
        aggregator: "([1] or [2])",
        decryptionType: "access_conditions",
        keyShards,
      }),
    sends: toEachNode("POST", "/api/fileAccessConditions", (node) => ({
      address,
      cid,
      conditions,
      aggregator: "([1] or [2])",
      decryptionType: "ACCESS_CONDITIONS",
      chainType: "EVM",
      payload: keyShards[node - 1],
    })),
    answers: { message: "success", data: {} },
    gives: allFive,
    failsLike: "node",
    misread: notSuccess,
  },
  {
    of: "PUT /api/fileAccessConditions/{n}",
    name: "kavachSetAccessConditions without shards",
    call: (kit) => kit.kavachSetAccessConditions(cid, { ...owner, conditions, aggregator: "[1] and ![2]" }),
    sends: toEachNode("PUT", "/api/fileAccessConditions", () => ({
      address,
      cid,
      conditions,
      aggregator: "[1] and ![2]",
      decryptionType: "ADDRESS",
      chainType: "EVM",
    })),
    answers: { message: "success" },
    gives: allFive,
    failsLike: "allNodes",
    misread: notSuccess,
  },
  {
    of: "PUT /api/fileAccessConditions/{n}",
    name: "kavachSetAccessConditions of one condition on Solana, words in the spelling of their types",
    call: (kit) =>
      kit.kavachSetAccessConditions(cid, {
        ...owner,
        chainType: "solana",
        conditions: [{ ...solanaSamples.token, chain: "devnet", standardContractType: "SPL-TOKEN" }],
      }),
    sends: toEachNode("PUT", "/api/fileAccessConditions", () => ({
      address,
      cid,
      conditions: [solanaSamples.token],
      decryptionType: "ADDRESS",
      chainType: "SOLANA",
    })),
    answers: { message: "success" },
    gives: allFive,
    failsLike: "allNodes",
    misread: notSuccess,
  },
  {
    of: "GET /api/fileAccessConditions/get/{cid}",
    name: "kavachGetAccessConditions",
    call: (kit) => kit.kavachGetAccessConditions(cid),
    sends: [{ method: "GET", url: `${keyNodes}/api/fileAccessConditions/get/${cid}`, headers: {} }],
    answers: known,
    gives: known,
    failsLike: "node",
    misread: "The key nodes returned no access conditions",
  },
  {
    of: "GET /api/message/{address}",
    name: "kavachGetAuthMessage",
    call: (kit) => kit.kavachGetAuthMessage(address),
    sends: [{ method: "GET", url: `${keyNodes}/api/message/${address}`, headers: {} }],
    answers: [{ message }],
    gives: { message },
    failsLike: "node",
    misread: "The key nodes returned no message to sign",
  },
  {
    of: "POST /api/message/get-jwt",
    name: "kavachGetJwt",
    call: (kit) => kit.kavachGetJwt(address, { signature }),
    sends: [
      {
        method: "POST",
        url: `${keyNodes}/api/message/get-jwt`,
        headers: {},
        body: { json: { address, signature, chain: "ALL" } },
      },
    ],
    answers: { token: jwt, refreshToken },
    gives: { token: jwt, refreshToken },
    failsLike: "jwt",
    misread: "Invalid Signature",
  },
  {
    of: "PUT /api/message/get-jwt",
    name: "kavachRefreshJwt",
    call: (kit) => kit.kavachRefreshJwt(address, { refreshToken }),
    sends: [
      {
        method: "PUT",
        url: `${keyNodes}/api/message/get-jwt`,
        headers: {},
        body: { json: { address, refreshToken } },
      },
    ],
    answers: { token: jwt, refreshToken },
    gives: { token: jwt, refreshToken },
    failsLike: "jwt",
    misread: "Invalid Signature",
  },
  {
    of: "POST /api/setSharedKey/{n}",
    name: "kavachSaveShards",
    call: (kit) => kit.kavachSaveShards(cid, { ...owner, keyShards }),
    sends: toEachNode("POST", "/api/setSharedKey", (node) => ({ address, cid, payload: keyShards[node - 1] })),
    answers: { message: "success", data: {} },
    gives: allFive,
    failsLike: "node",
    misread: notSuccess,
  },
  {
    of: "POST /api/setSharedKey/{n}",
    name: "kavachSaveShards, shared at once",
    call: (kit) => kit.kavachSaveShards(cid, { ...owner, keyShards, shareTo: [other] }),
    sends: toEachNode("POST", "/api/setSharedKey", (node) => ({
      address,
      cid,
      payload: keyShards[node - 1],
      sharedTo: [other],
    })),
    answers: { message: "success", data: {} },
    gives: allFive,
    failsLike: "node",
    misread: notSuccess,
  },
  {
    of: "PUT /api/setSharedKey/{n}",
    name: "kavachShare",
    call: (kit) => kit.kavachShare(cid, { ...owner, shareTo: other }),
    sends: toEachNode("PUT", "/api/setSharedKey", () => ({ address, cid, shareTo: [other] })),
    answers: { message: "success" },
    gives: allFive,
    failsLike: "allNodes",
    misread: notSuccess,
  },
  {
    of: "DELETE /api/setSharedKey/{n}",
    name: "kavachRevoke",
    call: (kit) => kit.kavachRevoke(cid, { ...owner, revokeTo: [other] }),
    sends: toEachNode("DELETE", "/api/setSharedKey", () => ({ address, cid, revokeTo: [other] })),
    answers: { message: "success" },
    gives: allFive,
    failsLike: "allNodes",
    misread: notSuccess,
  },
  {
    of: "POST /api/retrieveSharedKey/{n}",
    name: "kavachRecoverShards",
    call: async (kit) => {
      const { shards, failures } = await kit.kavachRecoverShards(cid, { ...owner, dynamicData: { name: "x" } });
      return { shards: shards.map(({ key, index }) => ({ key, index })), failures };
    },
    sends: toThreeNodes("/api/retrieveSharedKey", { address, cid, dynamicData: { name: "x" } }),
    answers: { payload: keyShards[0] },
    gives: { shards: [keyShards[0], keyShards[0], keyShards[0]], failures: [] },
    failsLike: "shards",
    misread: "key node {n} returned no key shard",
  },
  {
    of: "POST /api/transferOwnership/{n}",
    name: "kavachTransferOwnership, the new owner in lower case",
    call: (kit) => kit.kavachTransferOwnership(cid, { ...owner, newOwner: other.toUpperCase().replace("0X", "0x") }),
    sends: toEachNode("POST", "/api/transferOwnership", () => ({ address, cid, newOwner: other, resetSharedTo: true })),
    answers: { message: "success" },
    gives: allFive,
    failsLike: "transfer",
    misread: notSuccess,
  },
  {
    of: "POST /api/transferOwnership/{n}",
    name: "kavachTransferOwnership, those it is shared to kept",
    call: (kit) => kit.kavachTransferOwnership(cid, { ...owner, newOwner: other, resetSharedTo: false }),
    sends: toEachNode("POST", "/api/transferOwnership", () => ({
      address,
      cid,
      newOwner: other,
      resetSharedTo: false,
    })),
    answers: { message: "success" },
    gives: allFive,
    failsLike: "transfer",
    misread: notSuccess,
  },
];
