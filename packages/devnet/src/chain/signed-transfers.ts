import { Interface, TypedDataEncoder, verifyTypedData } from "ethers";
import eip3009Token from "./artifacts/eip3009-token.json" with { type: "json" };
import type { ChainNode, CompiledContract } from "./contracts.ts";

/** A transfer that its payer signed and anyone may make (EIP-3009). Numbers are decimal strings. */
export interface Authorization {
  from: string;
  to: string;
  /** In smallest units. */
  value: string;
  /** Seconds since 1970. */
  validAfter: string;
  /** Seconds since 1970. */
  validBefore: string;
  /** 64 hex characters after `0x`. */
  nonce: string;
}

/** Outcome of a transaction. */
export interface Sent {
  transaction: string;
  isReverted: boolean;
}

export type SignedTransfers = ReturnType<typeof createSignedTransfers>;

const token = new Interface((eip3009Token as CompiledContract).abi);
const account = new Interface(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
};

/** Enough for any transfer, also one that is reverted: an estimate would refuse to send that. */
const GAS = "0x7a120";

/** Signed transfers of the token at `address`, with the domain of USDC, sent from the node's own account. */
export function createSignedTransfers(node: ChainNode, address: string, chainId: number) {
  const domain = { name: "USDC", version: "2", chainId, verifyingContract: address };
  const read = async (name: string, args: readonly unknown[]): Promise<unknown> => {
    const data = token.encodeFunctionData(name, args);
    const result = await node.call("eth_call", [{ to: address, data }, "pending"]);
    return token.decodeFunctionResult(name, String(result))[0];
  };
  const isContract = async (of: string) => (await node.call("eth_getCode", [of, "latest"])) !== "0x";

  return {
    address,
    isContract,
    isUsed: async ({ from, nonce }: Authorization) => (await read("authorizationState", [from, nonce])) === true,
    getBalance: async (of: string) => BigInt(String(await read("balanceOf", [of]))),
    /** Whether the payer signed it; a contract decides that itself (ERC-1271). */
    async isSigned(authorization: Authorization, signature: string): Promise<boolean> {
      const { from } = authorization;
      if (await isContract(from)) {
        const hash = TypedDataEncoder.hash(domain, types, authorization);
        const data = account.encodeFunctionData("isValidSignature", [hash, signature]);
        const result = await node.call("eth_call", [{ to: from, data }, "pending"]).catch(() => "0x");
        return String(result).startsWith(account.getFunction("isValidSignature")?.selector ?? "none");
      }
      try {
        return verifyTypedData(domain, types, authorization, signature).toLowerCase() === from.toLowerCase();
      } catch {
        return false;
      }
    },
    /** Whether it would succeed in the next block. */
    async canSucceed(authorization: Authorization, signature: string): Promise<boolean> {
      const call = { from: node.owner, to: address, data: encodeTransfer(authorization, signature) };
      const result = node.call("eth_call", [call, "pending"]);
      return result.then(
        () => true,
        () => false,
      );
    },
    /** Makes it; one that would be reverted is not sent, unless it is `forced`. Throws with the node's reason. */
    async send(authorization: Authorization, signature: string, forced = false): Promise<Sent> {
      const data = encodeTransfer(authorization, signature);
      const receipt = await node.submit({ to: address, data, ...(forced ? { gas: GAS } : {}) });
      return { transaction: receipt.transactionHash, isReverted: receipt.status !== "0x1" };
    },
  };
}

/** The call for an ECDSA signature, or for the signature of a contract, which may have any length. */
function encodeTransfer(authorization: Authorization, signature: string): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const fields = [from, to, value, validAfter, validBefore, nonce];
  const [, r, s, v] = /^0x(.{64})(.{64})(.{2})$/.exec(signature) ?? [];
  if (v === undefined) return token.encodeFunctionData(BYTES_CALL, [...fields, signature]);
  return token.encodeFunctionData(ECDSA_CALL, [...fields, Number.parseInt(v, 16), `0x${r}`, `0x${s}`]);
}

const FIELDS = "address,address,uint256,uint256,uint256,bytes32";
const ECDSA_CALL = `transferWithAuthorization(${FIELDS},uint8,bytes32,bytes32)`;
const BYTES_CALL = `transferWithAuthorization(${FIELDS},bytes)`;
