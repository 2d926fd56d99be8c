import { getAddress } from "ethers";
import { expect, test } from "vitest";
import type { EvmCondition } from "../../../src/index.ts";
import { contract, samples } from "../../../test/access-conditions/samples.ts";
import { meetsConditions } from "../../devnet/src/conditions/evaluate-access.ts";
import { explainConditions, type SimulatedValue, simulateConditions } from "../src/index.ts";
import { type Chain, serveChain } from "./chain-server.ts";

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
const describeResult = (call: string, type: string) => `the result of ${call} of the ${type} contract ${on}`;

/** A read: its condition, its value for Alice, and its description. */
type Read = [
  standardContractType: string,
  method: string,
  parameters: readonly unknown[],
  value: SimulatedValue,
  description: string,
];

const user = ":userAddress";
const erc20: Read[] = [
  ["ERC20", "balanceOf", [user], "3", `the balance of ${who} in the ERC20 token ${on}`],
  ["ERC20", "allowance", [user, bob], "40", describeResult(`allowance(${who}, ${bob})`, "ERC20")],
  ["ERC20", "totalSupply", [], "21000000", describeResult("totalSupply()", "ERC20")],
  ["ERC20", "decimals", [], "6", describeResult("decimals()", "ERC20")],
  ["ERC20", "name", [], "Gold", describeResult("name()", "ERC20")],
  ["ERC20", "symbol", [], "GLD", describeResult("symbol()", "ERC20")],
];
const erc721: Read[] = [
  ["ERC721", "balanceOf", [user], "3", `the number of ERC721 tokens of ${on} that ${who} owns`],
  ["ERC721", "ownerOf", [7], getAddress(alice), `the owner of token 7 of the ERC721 contract ${on}`],
  ["ERC721", "getApproved", [7], getAddress(bob), describeResult("getApproved(7)", "ERC721")],
  ["ERC721", "isApprovedForAll", [user, bob], true, describeResult(`isApprovedForAll(${who}, ${bob})`, "ERC721")],
  ["ERC721", "name", [], "Gold", describeResult("name()", "ERC721")],
  ["ERC721", "symbol", [], "GLD", describeResult("symbol()", "ERC721")],
  ["ERC721", "tokenURI", ["7"], "ipfs://folder/7", describeResult("tokenURI(7)", "ERC721")],
  ["ERC721", "supportsInterface", [erc721Id], true, describeResult(`supportsInterface(${erc721Id})`, "ERC721")],
];
const erc1155: Read[] = [
  ["ERC1155", "balanceOf", [user, 9], "9", `the balance of ${who} in token 9 of the ERC1155 contract ${on}`],
  [
    "ERC1155",
    "balanceOfBatch",
    [
      [user, bob],
      [4, 5],
    ],
    ["4", "0"],
    describeResult(`balanceOfBatch([${who}, ${bob}], [4, 5])`, "ERC1155"),
  ],
  ["ERC1155", "isApprovedForAll", [user, bob], true, describeResult(`isApprovedForAll(${who}, ${bob})`, "ERC1155")],
  ["ERC1155", "uri", [9], "ipfs://9.json", describeResult("uri(9)", "ERC1155")],
  ["ERC1155", "supportsInterface", ["0xffffffff"], false, describeResult("supportsInterface(0xffffffff)", "ERC1155")],
];
const others: Read[] = [
  ["Custom", "isMember", [user, 7], true, describeResult(`isMember(${who}, 7)`, "Custom")],
  ["", "getBalance", [user], "5", `the native balance of ${who} on Polygon`],
  ["", "getBalance", [], "5", `the native balance of ${who} on Polygon`],
  ["", "getBlockNumber", [], "77", "the latest block number of Polygon"],
];

/** A condition by which the read must return this value. */
function createCondition(
  [standardContractType, method, parameters, value]: Read,
  target: unknown = value,
): EvmCondition {
  const kind = standardContractType === "Custom" ? custom : standardContractType === "" ? native : token;
  const test = { comparator: "==", value: typeof target === "boolean" ? String(target) : target };
  return { ...kind, chain: "Polygon", standardContractType, method, parameters, returnValueTest: test } as EvmCondition;
}

/** Evaluates a condition with the devnet's key nodes. */
function nodesGrantAccess(condition: EvmCondition, address: string, url: string): Promise<boolean> {
  const conditions = [{ ...condition }];
  const access = { chainType: "EVM", decryptionType: "ACCESS_CONDITIONS", aggregator: "", conditions } as const;
  return meetsConditions(access, address, {}, () => url);
}

test.each([...erc20, ...erc721, ...erc1155, ...others])(
  "%s %s(%j) is read, explained, and evaluated by the key nodes as by the simulation",
  async (...read) => {
    const [, , , value, description] = read;
    const condition = createCondition(read);
    expect(explainConditions([condition])).toMatch(
      new RegExp(`^Access is granted if ${escapeRegExp(description)} is equal to .+\\.$`),
    );

    const { url } = await serveChain(chain);
    for (const address of [alice, bob]) {
      const { allowed, conditions } = await simulateConditions([condition], null, address, { rpc: url });
      if (address === alice) expect([allowed, conditions[0]?.value]).toEqual([true, value]);
      expect(allowed).toBe(await nodesGrantAccess(condition, address, url));
    }
    const otherwise = createCondition(read, Array.isArray(value) ? ["1"] : typeof value === "boolean" ? !value : "1");
    expect((await simulateConditions([otherwise], null, alice, { rpc: url })).allowed).toBe(false);
    expect(await nodesGrantAccess(otherwise, alice, url)).toBe(false);
  },
);

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
