import type { PaymentNetwork } from "../../config/networks.ts";
import feeToken from "./artifacts/fee-token.json" with { type: "json" };
import lyingToken from "./artifacts/lying-token.json" with { type: "json" };
import paymentContract from "./artifacts/payment-contract.json" with { type: "json" };
import plainToken from "./artifacts/plain-token.json" with { type: "json" };
import refusingToken from "./artifacts/refusing-token.json" with { type: "json" };
import usdtLikeToken from "./artifacts/usdt-like-token.json" with { type: "json" };
import type { ChainNode } from "./node.ts";

/** Addresses of tokens that misbehave. The payment contract takes them, and they have 6 decimals. */
export interface OddTokens {
  /** Keeps one percent of what is sent. */
  feeTaking: string;
  /** `transferFrom` answers that it went well, and moves nothing. */
  lying: string;
  /** The same, with an event that says it moved. */
  lyingAloud: string;
  /** `transferFrom` answers `false`. */
  refusing: string;
}

/** What is deployed. */
export interface Contracts {
  contract: string;
  tokens: Required<PaymentNetwork["tokens"]>;
  oddTokens: OddTokens;
}

export { paymentContract as paymentContractArtifact };

/** Every token can be minted in the same way. */
export const mintable = plainToken;

/** Deploys the payment contract and its tokens: `usdt` in Tether's way, `usdc` and `dai` plain, and those that misbehave. */
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
