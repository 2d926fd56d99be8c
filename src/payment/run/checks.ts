import { allInOrder } from "../../async/all-in-order.ts";
import { insufficientFunds, wrongChain, wrongContract } from "../../errors/payment.ts";
import { tokenNotSupported } from "../../errors/payment-input.ts";
import { erc20, paymentContract } from "../chain/abi.ts";
import { callView, hasCode, requestQuantity } from "../chain/eth-rpc.ts";
import type { Context } from "./context.ts";

/**
 * Checks everything that must hold before signing, except the gas. Reads it all at once.
 *
 * @throws `WRONG_CHAIN`, `WRONG_CONTRACT`, `TOKEN_NOT_SUPPORTED`, `INSUFFICIENT_FUNDS`; what {@link Rpc} throws
 */
export async function checkBeforeSigning(context: Context): Promise<void> {
  const { tokenContract } = context.order;
  await allInOrder([
    checkChain(context),
    checkContract(context),
    tokenContract ? checkToken(context, tokenContract.address, tokenContract.decimals) : checkCoins(context),
  ]);
}

async function checkCoins({ order, rpc, sender }: Context): Promise<void> {
  const balance = await requestQuantity(rpc, "eth_getBalance", [sender.address, "latest"]);
  if (balance < order.amount) throw insufficientFunds(order.network.symbol, "the amount", order.amount, balance);
}

/** Checks that node and wallet are on the payment's chain. A wallet can switch chains at any time. */
export async function checkChain(context: Context): Promise<void> {
  await allInOrder([checkNodeChain(context), checkWalletChain(context)]);
}

async function checkWalletChain({ order, rpc, sender }: Context): Promise<void> {
  const { chainId } = order.network;
  if (sender.kind !== "wallet" || !sender.ownRpc || sender.ownRpc === rpc) return;
  const onWallet = await requestQuantity(sender.ownRpc, "eth_chainId");
  if (onWallet !== BigInt(chainId)) throw wrongChain("The wallet", chainId, onWallet);
}

/** Checks that what is read, which may be through a wallet, is of the payment's chain. */
export async function checkNodeChain({ order, rpc }: Pick<Context, "order" | "rpc">): Promise<void> {
  const { chainId } = order.network;
  const onNode = await requestQuantity(rpc, "eth_chainId");
  if (onNode !== BigInt(chainId)) throw wrongChain("The node", chainId, onNode);
}

async function checkContract({ order, rpc }: Context): Promise<void> {
  const { contract } = order.network;
  const [exists, balance] = await allInOrder([
    hasCode(rpc, contract),
    callView(rpc, paymentContract, contract, ["getNativeBalance"]),
  ]);
  if (!exists) throw wrongContract(contract, "there is none");
  if (balance === undefined) throw wrongContract(contract, "it is not a payment contract");
}

async function checkToken({ order, rpc, sender }: Context, address: string, decimals: number): Promise<void> {
  const { network, token, amount, size } = order;
  const [supported, balance, actual] = await allInOrder([
    callView(rpc, paymentContract, network.contract, ["getTokenStatus", address]),
    callView(rpc, erc20, address, ["balanceOf", sender.address]),
    // A price computed with other decimals than the token's would be wrong by powers of ten.
    size === undefined ? undefined : callView(rpc, erc20, address, ["decimals"]),
  ]);
  if (supported === undefined) throw wrongContract(network.contract, "it does not report which tokens it accepts");
  if (supported !== true) throw tokenNotSupported(token, "the payment contract does not accept it");
  if (typeof balance !== "bigint") throw wrongContract(address, "it is not a token");
  if (actual !== undefined && actual !== BigInt(decimals)) {
    throw wrongContract(address, `it has ${actual} decimals, the network's row says ${decimals}`);
  }
  if (balance < amount) throw insufficientFunds(token, "the amount", amount, balance);
}
