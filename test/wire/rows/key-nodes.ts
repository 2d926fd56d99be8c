import { expect } from "vitest";
import { samples, solanaSamples } from "../../access-conditions/samples.ts";
import { nodeMessage } from "../../support/fixtures.ts";
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
const message = nodeMessage;
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
    endpoint: "POST /api/fileAccessConditions/{n}",
    name: "kavachSetAccessConditions with shards",
    call: (kit) =>
      kit.kavachSetAccessConditions(cid, {
        ...owner,
        conditions,
        aggregator: "([1] or [2])",
        decryptionType: "access_conditions",
        keyShards,
      }),
    requests: toEachNode("POST", "/api/fileAccessConditions", (node) => ({
      address,
      cid,
      conditions,
      aggregator: "([1] or [2])",
      decryptionType: "ACCESS_CONDITIONS",
      chainType: "EVM",
      payload: keyShards[node - 1],
    })),
    response: { message: "success", data: {} },
    result: allFive,
    profile: "node",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "PUT /api/fileAccessConditions/{n}",
    name: "kavachSetAccessConditions without shards",
    call: (kit) => kit.kavachSetAccessConditions(cid, { ...owner, conditions, aggregator: "[1] and ![2]" }),
    requests: toEachNode("PUT", "/api/fileAccessConditions", () => ({
      address,
      cid,
      conditions,
      aggregator: "[1] and ![2]",
      decryptionType: "ADDRESS",
      chainType: "EVM",
    })),
    response: { message: "success" },
    result: allFive,
    profile: "allNodes",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "PUT /api/fileAccessConditions/{n}",
    name: "kavachSetAccessConditions of one condition on Solana, strings in the case of their types",
    call: (kit) =>
      kit.kavachSetAccessConditions(cid, {
        ...owner,
        chainType: "solana",
        conditions: [{ ...solanaSamples.token, chain: "devnet", standardContractType: "SPL-TOKEN" }],
      }),
    requests: toEachNode("PUT", "/api/fileAccessConditions", () => ({
      address,
      cid,
      conditions: [solanaSamples.token],
      decryptionType: "ADDRESS",
      chainType: "SOLANA",
    })),
    response: { message: "success" },
    result: allFive,
    profile: "allNodes",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "GET /api/fileAccessConditions/get/{cid}",
    name: "kavachGetAccessConditions",
    call: (kit) => kit.kavachGetAccessConditions(cid),
    requests: [{ method: "GET", url: `${keyNodes}/api/fileAccessConditions/get/${cid}`, headers: {} }],
    response: known,
    result: known,
    profile: "node",
    invalidMessage: "The key nodes returned no access conditions",
  },
  {
    endpoint: "GET /api/message/{address}",
    name: "kavachGetAuthMessage",
    call: (kit) => kit.kavachGetAuthMessage(address),
    requests: [{ method: "GET", url: `${keyNodes}/api/message/${address}`, headers: {} }],
    response: [{ message }],
    result: { message },
    profile: "node",
    invalidMessage: "The key nodes returned no message to sign",
  },
  {
    endpoint: "POST /api/message/get-jwt",
    name: "kavachGetJwt",
    call: (kit) => kit.kavachGetJwt(address, { signature }),
    requests: [
      {
        method: "POST",
        url: `${keyNodes}/api/message/get-jwt`,
        headers: {},
        body: { json: { address, signature, chain: "ALL" } },
      },
    ],
    response: { token: jwt, refreshToken },
    result: { token: jwt, refreshToken },
    profile: "jwt",
    invalidMessage: "Invalid Signature",
  },
  {
    endpoint: "PUT /api/message/get-jwt",
    name: "kavachRefreshJwt",
    call: (kit) => kit.kavachRefreshJwt(address, { refreshToken }),
    requests: [
      {
        method: "PUT",
        url: `${keyNodes}/api/message/get-jwt`,
        headers: {},
        body: { json: { address, refreshToken } },
      },
    ],
    response: { token: jwt, refreshToken },
    result: { token: jwt, refreshToken },
    profile: "jwt",
    invalidMessage: "Invalid Signature",
  },
  {
    endpoint: "POST /api/setSharedKey/{n}",
    name: "kavachSaveShards",
    call: (kit) => kit.kavachSaveShards(cid, { ...owner, keyShards }),
    requests: toEachNode("POST", "/api/setSharedKey", (node) => ({ address, cid, payload: keyShards[node - 1] })),
    response: { message: "success", data: {} },
    result: allFive,
    profile: "node",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "POST /api/setSharedKey/{n}",
    name: "kavachSaveShards, shared at once",
    call: (kit) => kit.kavachSaveShards(cid, { ...owner, keyShards, shareTo: [other] }),
    requests: toEachNode("POST", "/api/setSharedKey", (node) => ({
      address,
      cid,
      payload: keyShards[node - 1],
      sharedTo: [other],
    })),
    response: { message: "success", data: {} },
    result: allFive,
    profile: "node",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "PUT /api/setSharedKey/{n}",
    name: "kavachShare",
    call: (kit) => kit.kavachShare(cid, { ...owner, shareTo: other }),
    requests: toEachNode("PUT", "/api/setSharedKey", () => ({ address, cid, shareTo: [other] })),
    response: { message: "success" },
    result: allFive,
    profile: "allNodes",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "DELETE /api/setSharedKey/{n}",
    name: "kavachRevoke",
    call: (kit) => kit.kavachRevoke(cid, { ...owner, revokeTo: [other] }),
    requests: toEachNode("DELETE", "/api/setSharedKey", () => ({ address, cid, revokeTo: [other] })),
    response: { message: "success" },
    result: allFive,
    profile: "allNodes",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "POST /api/retrieveSharedKey/{n}",
    name: "kavachRecoverShards",
    call: async (kit) => {
      const { shards, failures } = await kit.kavachRecoverShards(cid, { ...owner, dynamicData: { name: "x" } });
      return { shards: shards.map(({ key, index }) => ({ key, index })), failures };
    },
    requests: toThreeNodes("/api/retrieveSharedKey", { address, cid, dynamicData: { name: "x" } }),
    response: { payload: keyShards[0] },
    result: { shards: [keyShards[0], keyShards[0], keyShards[0]], failures: [] },
    profile: "shards",
    invalidMessage: "key node {n} returned no key shard",
  },
  {
    endpoint: "POST /api/transferOwnership/{n}",
    name: "kavachTransferOwnership, the new owner in lower case",
    call: (kit) => kit.kavachTransferOwnership(cid, { ...owner, newOwner: other.toUpperCase().replace("0X", "0x") }),
    requests: toEachNode("POST", "/api/transferOwnership", () => ({
      address,
      cid,
      newOwner: other,
      resetSharedTo: true,
    })),
    response: { message: "success" },
    result: allFive,
    profile: "transfer",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "POST /api/transferOwnership/{n}",
    name: "kavachTransferOwnership, those it is shared to kept",
    call: (kit) => kit.kavachTransferOwnership(cid, { ...owner, newOwner: other, resetSharedTo: false }),
    requests: toEachNode("POST", "/api/transferOwnership", () => ({
      address,
      cid,
      newOwner: other,
      resetSharedTo: false,
    })),
    response: { message: "success" },
    result: allFive,
    profile: "transfer",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "POST /api/retrieveSharedKey/{n}",
    name: "kavachRecoverShards of an owner's delegate, the owner in lower case",
    call: async (kit) => {
      const ownerAddress = other.toUpperCase().replace("0X", "0x");
      const { shards, failures } = await kit.kavachRecoverShards(cid, { ...owner, ownerAddress });
      return { shards: shards.map(({ key, index }) => ({ key, index })), failures };
    },
    requests: toThreeNodes("/api/retrieveSharedKey", { address, cid, dynamicData: {}, ownerAddress: other }),
    response: { payload: keyShards[0] },
    result: { shards: [keyShards[0], keyShards[0], keyShards[0]], failures: [] },
    profile: "shards",
    invalidMessage: "key node {n} returned no key shard",
  },
  {
    endpoint: "POST /api/setAllFilesAccess/{n}",
    name: "kavachSetDelegates, an address in lower case",
    call: (kit) => kit.kavachSetDelegates(other.toUpperCase().replace("0X", "0x"), owner),
    requests: toEachNode("POST", "/api/setAllFilesAccess", () => ({ address, allFilesAccess: [other] })),
    response: { message: "success", data: {} },
    result: allFive,
    profile: "allNodes",
    invalidMessage: notSuccess,
  },
  {
    endpoint: "POST /api/setAllFilesAccess/{n}",
    name: "kavachSetDelegates to nobody",
    call: (kit) => kit.kavachSetDelegates([], owner),
    requests: toEachNode("POST", "/api/setAllFilesAccess", () => ({ address, allFilesAccess: [] })),
    response: { message: "success" },
    result: allFive,
    profile: "allNodes",
    invalidMessage: notSuccess,
  },
];
