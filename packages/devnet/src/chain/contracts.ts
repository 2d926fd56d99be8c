import type { PaymentNetwork } from "keeplight";
import feeToken from "./artifacts/fee-token.json" with { type: "json" };
import noTransferToken from "./artifacts/no-transfer-token.json" with { type: "json" };
import paymentContract from "./artifacts/payment-contract.json" with { type: "json" };
import plainToken from "./artifacts/plain-token.json" with { type: "json" };
import refusingToken from "./artifacts/refusing-token.json" with { type: "json" };
import usdtLikeToken from "./artifacts/usdt-like-token.json" with { type: "json" };
import type { ChainNode } from "./node.ts";

/** Addresses of faulty tokens. The payment contract accepts them, and they have 6 decimals. */
export interface FaultyTokens {
  /** Deducts a fee of one percent from each transfer. */
  feeTaking: string;
  /** `transferFrom` returns success and transfers nothing. */
  noTransfer: string;
  /** The same, and emits a `Transfer` event. */
  noTransferWithEvent: string;
  /** `transferFrom` returns `false`. */
  refusing: string;
}

/** The deployed contracts. */
export interface Contracts {
  contract: string;
  tokens: Required<PaymentNetwork["tokens"]>;
  faultyTokens: FaultyTokens;
}

/** Types of JSON files would be imported by those who import the types of this package. */
interface Artifact {
  abi: string[];
  bytecode: string;
}

export const paymentContractArtifact: Artifact = paymentContract;

/** The interface by which every token is minted. */
export const mintable: Artifact = plainToken;

/** Deploys the payment contract and its tokens: `usdt` like Tether's, `usdc` and `dai` plain, and faulty ones. */
export async function deployContracts(node: ChainNode): Promise<Contracts> {
  const contract = await node.deploy(paymentContract, [node.owner, node.owner]);
  const tokens = {
    usdc: { address: await node.deploy(plainToken, ["USDC", 6]), decimals: 6 },
    usdt: { address: await node.deploy(usdtLikeToken, [6]), decimals: 6 },
    dai: { address: await node.deploy(plainToken, ["DAI", 18]), decimals: 18 },
  };
  const faultyTokens = {
    feeTaking: await node.deploy(feeToken, []),
    noTransfer: await node.deploy(noTransferToken, [false]),
    noTransferWithEvent: await node.deploy(noTransferToken, [true]),
    refusing: await node.deploy(refusingToken, []),
  };
  const addresses = [...Object.values(tokens).map(({ address }) => address), ...Object.values(faultyTokens)];
  for (const address of addresses) await node.transact(paymentContract, contract, "updateERC20Token", [address, true]);
  return { contract, tokens, faultyTokens };
}
