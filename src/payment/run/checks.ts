import { allInOrder } from "../../base/async/all-in-order.ts";
import type { TokenContract } from "../../base/config/networks.ts";
import { insufficientFunds, wrongChain, wrongContract } from "../../base/errors/payment.ts";
import { tokenNotSupported } from "../../base/errors/payment-input.ts";
import { erc20, paymentContract } from "../chain/abi.ts";
import { callView, hasCode, requestQuantity } from "../chain/eth-rpc.ts";
import type { Context, ReadingContext } from "./context.ts";

/**
 * Checks everything that must hold before signing, except the gas. Reads it all at once.
 *
 * @throws `WRONG_CHAIN`, `WRONG_CONTRACT`, `TOKEN_NOT_SUPPORTED`, `INSUFFICIENT_FUNDS`; what {@link Rpc} throws
 */
export async function checkBeforeSigning(context: Context): Promise<void> {
  const { network, tokenContract, token, amount } = context.order;
  const [, , balance] = await allInOrder([checkChain(context), checkPayee(context), readBalance(context)]);
  if (balance < amount) throw insufficientFunds(tokenContract ? token : network.symbol, "the amount", amount, balance);
}

/** Checks that there is a payment contract that accepts the order's token. */
export async function checkPayee(context: Pick<Context, "order" | "rpc">): Promise<void> {
  const { tokenContract } = context.order;
  await allInOrder([checkContract(context), tokenContract && checkToken(context, tokenContract)]);
}

/** Reads the payer's balance in what the order is paid with. */
export async function readBalance({ order, rpc, sender }: ReadingContext): Promise<bigint> {
  const token = order.tokenContract?.address;
  if (token === undefined) return requestQuantity(rpc, "eth_getBalance", [sender.address, "latest"]);
  const balance = await callView(rpc, erc20, token, ["balanceOf", sender.address]);
  if (typeof balance !== "bigint") throw wrongContract(token, "it is not a token");
  return balance;
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

async function checkContract({ order, rpc }: Pick<Context, "order" | "rpc">): Promise<void> {
  const { contract } = order.network;
  const [exists, balance] = await allInOrder([
    hasCode(rpc, contract),
    callView(rpc, paymentContract, contract, ["getNativeBalance"]),
  ]);
  if (!exists) throw wrongContract(contract, "there is none");
  if (balance === undefined) throw wrongContract(contract, "it is not a payment contract");
}

async function checkToken(
  { order, rpc }: Pick<Context, "order" | "rpc">,
  { address, decimals }: TokenContract,
): Promise<void> {
  const { network, token, size } = order;
  const [supported, actual] = await allInOrder([
    callView(rpc, paymentContract, network.contract, ["getTokenStatus", address]),
    // A price computed with other decimals than the token's would be wrong by powers of ten.
    size === undefined ? undefined : callView(rpc, erc20, address, ["decimals"]),
  ]);
  if (supported === undefined) throw wrongContract(network.contract, "it does not report which tokens it accepts");
  if (supported !== true) throw tokenNotSupported(token, "the payment contract does not accept it");
  if (actual !== undefined && actual !== BigInt(decimals)) {
    throw wrongContract(address, `it has ${actual} decimals, the network's row says ${decimals}`);
  }
}
