import { untilAborted } from "../../base/async/abort.ts";
import { networks } from "../../base/config/networks.ts";
import { isKeeplightError } from "../../base/errors/base.ts";
import { paymentRejected } from "../../base/errors/payment.ts";
import { isRejection, type ProviderError, readProviderError, toSafeCause } from "../../base/errors/provider-error.ts";
import { requestQuantity, toHex } from "../chain/eth-rpc.ts";
import type { ResolvedNetwork } from "../chain/network.ts";
import type { WalletSender } from "./sender.ts";

/** The wallet does not know the chain (EIP-3326, EIP-3085). */
const UNKNOWN_CHAIN = 4902;

/**
 * Requests a wallet on another chain to switch to the payment's, and to add it first if it does not know it. Whether it
 * did so is checked by the caller: many wallets cannot.
 *
 * @throws `PAYMENT_REJECTED` if the user rejects it, `ABORTED`; what {@link Rpc} throws
 */
export async function switchChain(
  { ownRpc, prompt }: WalletSender,
  network: ResolvedNetwork,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!ownRpc || !prompt || (await requestQuantity(ownRpc, "eth_chainId")) === BigInt(network.chainId)) return;
  /** Returns the error, unless the user rejected. Without a time limit: the wallet's window may stay open. */
  const ask = async (method: string, parameter: object): Promise<ProviderError | undefined> => {
    try {
      await untilAborted(prompt(method, [parameter]), signal);
      return undefined;
    } catch (error) {
      if (isKeeplightError(error, "ABORTED")) throw error;
      const walletError = readProviderError(error);
      if (isRejection(walletError)) throw paymentRejected("chain", toSafeCause(walletError));
      return walletError;
    }
  };
  const chain = { chainId: toHex(network.chainId) };
  const refusal = await ask("wallet_switchEthereumChain", chain);
  if (refusal?.code !== UNKNOWN_CHAIN) return;
  // Some wallets switch when they add a chain, some do not.
  if (!(await ask("wallet_addEthereumChain", { ...chain, ...describeChain(network) }))) {
    await ask("wallet_switchEthereumChain", chain);
  }
}

/** What EIP-3085 requires of a chain. */
function describeChain({ chainId, symbol, decimals, rpc, explorerTxUrl }: ResolvedNetwork): object {
  const name = Object.entries(networks).find(([, row]) => row.chain_id === chainId)?.[0];
  return {
    chainName: name ?? `Chain ${chainId}`,
    nativeCurrency: { name: symbol, symbol, decimals },
    rpcUrls: [rpc],
    ...(explorerTxUrl === "" ? {} : { blockExplorerUrls: [new URL(explorerTxUrl).origin] }),
  };
}
