import type { PaymentNetwork } from "../../config/networks.ts";
import feeToken from "./artifacts/fee-token.json" with { type: "json" };
import lyingToken from "./artifacts/lying-token.json" with { type: "json" };
import paymentContract from "./artifacts/payment-contract.json" with { type: "json" };
import plainToken from "./artifacts/plain-token.json" with { type: "json" };
import refusingToken from "./artifacts/refusing-token.json" with { type: "json" };
import usdtLikeToken from "./artifacts/usdt-like-token.json" with { type: "json" };
import type { ChainNode } from "./node.ts";

/** Addresses of tokens that misbehave. The payment contract accepts them, and they have 6 decimals. */
export interface OddTokens {
  /** Deducts a fee of one percent from each transfer. */
  feeTaking: string;
  /** `transferFrom` returns success and transfers nothing. */
  lying: string;
  /** The same, and emits a `Transfer` event. */
  lyingAloud: string;
  /** `transferFrom` returns `false`. */
  refusing: string;
}

/** The deployed contracts. */
export interface Contracts {
  contract: string;
  tokens: Required<PaymentNetwork["tokens"]>;
  oddTokens: OddTokens;
}

export { paymentContract as paymentContractArtifact };

/** The interface by which every token is minted. */
export const mintable = plainToken;

/** Deploys the payment contract and its tokens: `usdt` like Tether's, `usdc` and `dai` plain, and those that misbehave. */
export async function deployContracts(node: ChainNode): Promise<Contracts> {
  const contract = await node.deploy(paymentContract, [node.owner, node.owner]);
  const tokens = {
    usdc: { address: await node.deploy(plainToken, ["USDC", 6]), decimals: 6 },
    usdt: { address: await node.deploy(usdtLikeToken, [6]), decimals: 6 },
    dai: { address: await node.deploy(plainToken, ["DAI", 18]), decimals: 18 },
  };
  const oddTokens = {
    feeTaking: await node.deploy(feeToken, []),
    lying: await node.deploy(lyingToken, [false]),
    lyingAloud: await node.deploy(lyingToken, [true]),
    refusing: await node.deploy(refusingToken, []),
  };
  const addresses = [...Object.values(tokens).map(({ address }) => address), ...Object.values(oddTokens)];
  for (const address of addresses) await node.transact(paymentContract, contract, "updateERC20Token", [address, true]);
  return { contract, tokens, oddTokens };
}
