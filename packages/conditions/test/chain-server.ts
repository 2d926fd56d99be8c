import { Interface } from "ethers";
import { createServer, sendJson, type TestServer } from "../../../test/support/http-server.ts";

/** Functions that the contract of the chain has, as Solidity declares them. */
const abi = new Interface([
  "function balanceOf(address) view returns (uint256)",
  "function balanceOf(address, uint256) view returns (uint256)",
  "function balanceOfBatch(address[], uint256[]) view returns (uint256[])",
  "function ownerOf(uint256) view returns (address)",
  "function allowance(address, address) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function name() view returns (string)",
  "function getApproved(uint256) view returns (address)",
  "function isApprovedForAll(address, address) view returns (bool)",
  "function tokenURI(uint256) view returns (string)",
  "function uri(uint256) view returns (string)",
  "function supportsInterface(bytes4) view returns (bool)",
  "function symbol() view returns (string)",
  "function isMember(address, uint256) view returns (bool)",
  "function isOpen(bool) view returns (bool)",
  "function debt(address) view returns (int256)",
  "function tag(address) view returns (bytes4)",
  "function admins() view returns (address[])",
  "function anyOf(bool[], bytes32) view returns (bool[])",
]);

/** Returns the result of a call, by its signature; `undefined` reverts. */
type Contract = Readonly<Record<string, (...args: never[]) => unknown>>;

/** A chain with one contract. */
export interface Chain {
  blockNumber?: number;
  /** Wei by lower-case address. */
  balances?: Readonly<Record<string, bigint>>;
  /** Lower-case address of the contract. */
  at: string;
  contract?: Contract;
}

interface RpcRequest {
  id: number;
  method: string;
  params: unknown[];
}

/** Starts a JSON-RPC node of `chain` on loopback. */
export function serveChain(chain: Chain): Promise<TestServer> {
  return createServer((request, response) => {
    const { id, method, params } = JSON.parse(request.body.toString()) as RpcRequest;
    const respond = (result: unknown) => sendJson(response, { jsonrpc: "2.0", id, result });
    if (method === "eth_chainId") return respond("0x89");
    if (method === "eth_blockNumber") return respond(`0x${(chain.blockNumber ?? 0).toString(16)}`);
    if (method === "eth_getBalance") {
      return respond(`0x${(chain.balances?.[String(params[0]).toLowerCase()] ?? 0n).toString(16)}`);
    }
    if (method !== "eth_call") {
      return sendJson(response, { jsonrpc: "2.0", id, error: { code: -32601, message: `no method ${method}` } });
    }
    const { to, data } = params[0] as { to: string; data: string };
    if (to.toLowerCase() !== chain.at) return respond("0x");
    const call = abi.parseTransaction({ data });
    const result = call && chain.contract?.[call.signature]?.(...(call.args.toArray(true) as never[]));
    if (!call || result === undefined) {
      const error = { code: 3, message: "execution reverted: not minted", data: "0x" };
      return sendJson(response, { jsonrpc: "2.0", id, error });
    }
    return respond(abi.encodeFunctionResult(call.fragment, [result]));
  });
}
