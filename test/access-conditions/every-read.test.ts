import { getAddress } from "ethers";
import { expect, test } from "vitest";
import { meetsConditions } from "../../src/devnet/conditions/evaluate-access.ts";
import { type EvmCondition, explainConditions, type SimulatedValue, simulateConditions } from "../../src/index.ts";
import { type Chain, serveChain } from "./chain-server.ts";
import { contract, samples } from "./samples.ts";

const alice = "0x00000000000000000000000000000000000a11ce";
const bob = "0x0000000000000000000000000000000000000b0b";
const erc721Id = "0x80ac58cd";
const isAlice = (address: string) => address.toLowerCase() === alice;

const chain: Chain = {
  at: contract,
  blockNumber: 77,
  balances: { [alice]: 5n },
  contract: {
    "balanceOf(address)": (address: string) => (isAlice(address) ? 3n : 0n),
    "balanceOf(address,uint256)": (address: string, id: bigint) => (isAlice(address) ? id : 0n),
    "balanceOfBatch(address[],uint256[])": (owners: string[], ids: bigint[]) =>
      ids.map((id, at) => (isAlice(owners[at] ?? "") ? id : 0n)),
    "allowance(address,address)": (owner: string) => (isAlice(owner) ? 40n : 0n),
    "totalSupply()": () => 21_000_000n,
    "decimals()": () => 6,
    "name()": () => "Gold",
    "symbol()": () => "GLD",
    "ownerOf(uint256)": () => alice,
    "getApproved(uint256)": () => bob,
    "isApprovedForAll(address,address)": (owner: string) => isAlice(owner),
    "tokenURI(uint256)": (id: bigint) => `ipfs://folder/${id}`,
    "uri(uint256)": (id: bigint) => `ipfs://${id}.json`,
    "supportsInterface(bytes4)": (id: string) => id === erc721Id,
    "isMember(address,uint256)": (address: string, level: bigint) => isAlice(address) && level <= 7n,
  },
};

const { token, custom, native } = samples;
const who = "the requester";
const on = `${contract} on Polygon`;
const answerOf = (call: string, type: string) => `the result of ${call} of the ${type} contract ${on}`;

/** A read: how it is asked for, what it gives for Alice, and what it is called. */
type Read = [
  standardContractType: string,
  method: string,
  parameters: readonly unknown[],
  value: SimulatedValue,
  words: string,
];

const ask = ":userAddress";
const erc20: Read[] = [
  ["ERC20", "balanceOf", [ask], "3", `the balance of ${who} in the ERC20 token ${on}, in its smallest unit,`],
  ["ERC20", "allowance", [ask, bob], "40", answerOf(`allowance(${who}, ${bob})`, "ERC20")],
  ["ERC20", "totalSupply", [], "21000000", answerOf("totalSupply()", "ERC20")],
  ["ERC20", "decimals", [], "6", answerOf("decimals()", "ERC20")],
  ["ERC20", "name", [], "Gold", answerOf("name()", "ERC20")],
  ["ERC20", "symbol", [], "GLD", answerOf("symbol()", "ERC20")],
];
const erc721: Read[] = [
  ["ERC721", "balanceOf", [ask], "3", `the number of ERC721 tokens of ${on} that ${who} owns`],
  ["ERC721", "ownerOf", [7], getAddress(alice), `the owner of token 7 of the ERC721 contract ${on}`],
  ["ERC721", "getApproved", [7], getAddress(bob), answerOf("getApproved(7)", "ERC721")],
  ["ERC721", "isApprovedForAll", [ask, bob], true, answerOf(`isApprovedForAll(${who}, ${bob})`, "ERC721")],
  ["ERC721", "name", [], "Gold", answerOf("name()", "ERC721")],
  ["ERC721", "symbol", [], "GLD", answerOf("symbol()", "ERC721")],
  ["ERC721", "tokenURI", ["7"], "ipfs://folder/7", answerOf("tokenURI(7)", "ERC721")],
  ["ERC721", "supportsInterface", [erc721Id], true, answerOf(`supportsInterface(${erc721Id})`, "ERC721")],
];
const erc1155: Read[] = [
  ["ERC1155", "balanceOf", [ask, 9], "9", `the balance of ${who} in token 9 of the ERC1155 contract ${on}`],
  [
    "ERC1155",
    "balanceOfBatch",
    [
      [ask, bob],
      [4, 5],
    ],
    ["4", "0"],
    answerOf(`balanceOfBatch([${who}, ${bob}], [4, 5])`, "ERC1155"),
  ],
  ["ERC1155", "isApprovedForAll", [ask, bob], true, answerOf(`isApprovedForAll(${who}, ${bob})`, "ERC1155")],
  ["ERC1155", "uri", [9], "ipfs://9.json", answerOf("uri(9)", "ERC1155")],
  ["ERC1155", "supportsInterface", ["0xffffffff"], false, answerOf("supportsInterface(0xffffffff)", "ERC1155")],
];
const others: Read[] = [
  ["Custom", "isMember", [ask, 7], true, answerOf(`isMember(${who}, 7)`, "Custom")],
  ["", "getBalance", [ask], "5", `the native balance of ${who} on Polygon, in its smallest unit,`],
  ["", "getBalance", [], "5", `the native balance of ${who} on Polygon, in its smallest unit,`],
  ["", "getBlockNumber", [], "77", "the latest block number of Polygon"],
];

/** That the read gives this value. */
function conditionOf([standardContractType, method, parameters, value]: Read, wanted: unknown = value): EvmCondition {
  const kind = standardContractType === "Custom" ? custom : standardContractType === "" ? native : token;
  const test = { comparator: "==", value: typeof wanted === "boolean" ? String(wanted) : wanted };
  return { ...kind, chain: "Polygon", standardContractType, method, parameters, returnValueTest: test } as EvmCondition;
}

/** What the devnet's key nodes make of it. */
function nodesLetIn(condition: EvmCondition, address: string, url: string): Promise<boolean> {
  const conditions = [{ ...condition }];
  const access = { chainType: "EVM", decryptionType: "ACCESS_CONDITIONS", aggregator: "", conditions } as const;
  return meetsConditions(access, address, {}, () => url);
}

test.each([...erc20, ...erc721, ...erc1155, ...others])(
  "%s %s(%j) is read, explained, and taken by the key nodes as the simulation says",
  async (...read) => {
    const [, , , value, words] = read;
    const condition = conditionOf(read);
    expect(explainConditions([condition])).toMatch(
      new RegExp(`^Access is granted if ${literal(words)} is equal to .+\\.$`),
    );

    const { url } = await serveChain(chain);
    for (const address of [alice, bob]) {
      const { allowed, conditions } = await simulateConditions([condition], null, address, { rpc: url });
      if (address === alice) expect([allowed, conditions[0]?.value]).toEqual([true, value]);
      expect(allowed).toBe(await nodesLetIn(condition, address, url));
    }
    const otherwise = conditionOf(read, Array.isArray(value) ? ["1"] : typeof value === "boolean" ? !value : "1");
    expect((await simulateConditions([otherwise], null, alice, { rpc: url })).allowed).toBe(false);
    expect(await nodesLetIn(otherwise, alice, url)).toBe(false);
  },
);

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
