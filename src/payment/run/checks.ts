import { insufficientFunds, wrongChain, wrongContract } from "../../errors/payment.ts";
import { tokenNotSupported } from "../../errors/payment-input.ts";
import { erc20, paymentContract } from "../chain/abi.ts";
import { ask, callView, hasCode } from "../chain/eth-rpc.ts";
import type { Context } from "./context.ts";

/**
 * Everything that must hold before anything is signed, but for what it takes in gas.
 *
 * @throws `WRONG_CHAIN`, `WRONG_CONTRACT`, `TOKEN_NOT_SUPPORTED`, `INSUFFICIENT_FUNDS`; what {@link Rpc} throws
 */
export async function checkBeforeSigning(context: Context): Promise<void> {
  const { order, rpc, sender } = context;
  const { network, tokenContract, amount } = order;
  await checkChain(context);
  await checkContract(context);
  if (tokenContract) {
    await checkToken(context, tokenContract.address, tokenContract.decimals);
    return;
  }
  const balance = await ask(rpc, "eth_getBalance", [sender.address, "latest"]);
  if (balance < amount) throw insufficientFunds(network.symbol, "the amount", amount, balance);
}

/** Node and wallet have to be on the chain that is paid on; a wallet may change its mind at any time. */
export async function checkChain({ order, rpc, sender }: Context): Promise<void> {
  const { chainId } = order.network;
  const onNode = await ask(rpc, "eth_chainId");
  if (onNode !== BigInt(chainId)) throw wrongChain("The node", chainId, onNode);
  if (sender.kind !== "wallet" || !sender.ownRpc || sender.ownRpc === rpc) return;
  const onWallet = await ask(sender.ownRpc, "eth_chainId");
  if (onWallet !== BigInt(chainId)) throw wrongChain("The wallet", chainId, onWallet);
}

async function checkContract({ order, rpc }: Context): Promise<void> {
  const { contract } = order.network;
  if (!(await hasCode(rpc, contract))) throw wrongContract(contract, "there is none");
  if ((await callView(rpc, paymentContract, contract, ["getNativeBalance"])) === undefined) {
    throw wrongContract(contract, "it is not a payment contract");
  }
}

async function checkToken({ order, rpc, sender }: Context, address: string, decimals: number): Promise<void> {
  const { network, token, amount, priced } = order;
  const supported = await callView(rpc, paymentContract, network.contract, ["getTokenStatus", address]);
  if (supported === undefined) throw wrongContract(network.contract, "it does not say which tokens it takes");
  if (supported !== true) throw tokenNotSupported(token, "the payment contract does not take it");
  const balance = await callView(rpc, erc20, address, ["balanceOf", sender.address]);
  if (typeof balance !== "bigint") throw wrongContract(address, "it is not a token");
  // A price that was reckoned in other digits than the token's would be wrong by powers of ten.
  const actual = priced ? await callView(rpc, erc20, address, ["decimals"]) : undefined;
  if (actual !== undefined && actual !== BigInt(decimals)) {
    throw wrongContract(address, `it has ${actual} decimals, the network's row says ${decimals}`);
  }
  if (balance < amount) throw insufficientFunds(token, "the amount", amount, balance);
}
