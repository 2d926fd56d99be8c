import { Wallet } from "ethers";
import { invalidOption } from "../errors/input.ts";
import { paymentRejected } from "../errors/payment.ts";
import { untilAborted } from "../input/abort.ts";
import { checkAddress } from "../input/address.ts";
import { toHex } from "./chain.ts";
import { foreignCause, readForeignError } from "./foreign-error.ts";
import { httpRpc, providerRpc, type Rpc, type RpcLimits } from "./rpc.ts";
import { type Eip1193Provider, isEip1193, type TransactionFields, type TransactionSigner } from "./signer.ts";

/** Signs here, so that a transaction's hash is known before anybody has it. */
export interface SigningSender {
  kind: "signing";
  /** Lower-case. */
  address: string;
  rpc: Rpc;
  /** Gives the signed transaction, in hex. */
  sign(transaction: TransactionFields): Promise<string>;
}

/** Has a wallet sign and send at once; only the wallet knows what it sends until it says so. */
export interface WalletSender {
  kind: "wallet";
  /** Lower-case. */
  address: string;
  rpc: Rpc;
  /** The wallet's own connection, where it is not `rpc`. */
  ownRpc: Rpc | undefined;
  /** Gives the hash. */
  send(transaction: TransactionFields): Promise<string>;
}

export type Sender = SigningSender | WalletSender;

/** Who pays, and the node that is asked. */
export interface SenderOptions {
  privateKey?: string | undefined;
  signer?: unknown;
  /** URL of the node to ask instead of the signer's own. */
  rpc?: string | undefined;
  /** The address that a payment was begun from: nobody is asked for it again. */
  address?: string | undefined;
}

/**
 * @param networkRpc - URL of the node where there is no other
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `PAYMENT_REJECTED` if a wallet does not show its address, `ABORTED`
 */
export async function createSender(options: SenderOptions, networkRpc: string, limits: RpcLimits): Promise<Sender> {
  const { privateKey, signer, rpc: url } = options;
  if (privateKey !== undefined) {
    const wallet = walletOf(privateKey);
    const rpc = httpRpc(url ?? networkRpc, limits);
    return {
      kind: "signing",
      address: checkAddress(wallet.address),
      rpc,
      sign: (fields) => wallet.signTransaction(fields),
    };
  }
  if (isEip1193(signer)) return eip1193Sender(signer, options, limits);
  return signerSender(signer as TransactionSigner, options, networkRpc, limits);
}

function walletOf(privateKey: string): Wallet {
  try {
    return new Wallet(privateKey.startsWith("0x") ? privateKey : `0x${privateKey}`);
  } catch {
    // What ethers has to say might repeat the key.
    throw invalidOption("privateKey", "64 hex characters that are a key");
  }
}

async function eip1193Sender(
  wallet: Eip1193Provider,
  options: SenderOptions,
  limits: RpcLimits,
): Promise<WalletSender> {
  const request = (method: string, params: readonly unknown[]) => wallet.request({ method, params });
  const ownRpc = providerRpc(request, limits);
  const address = options.address ?? checkAddress(await firstAccount(request, limits.signal));
  return {
    kind: "wallet",
    address,
    rpc: options.rpc === undefined ? ownRpc : httpRpc(options.rpc, limits),
    ownRpc,
    send: async ({ to, data, value, chainId }) =>
      String(
        await request("eth_sendTransaction", [
          { from: address, to, data, value: toHex(value), chainId: toHex(chainId) },
        ]),
      ),
  };
}

async function firstAccount(
  request: (method: string, params: readonly unknown[]) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const accounts = await untilAborted(request("eth_requestAccounts", []).catch(notShown), signal);
  return Array.isArray(accounts) ? accounts[0] : undefined;
}

function notShown(error: unknown): never {
  throw paymentRejected("account", foreignCause(readForeignError(error)));
}

async function signerSender(
  signer: TransactionSigner,
  options: SenderOptions,
  networkRpc: string,
  limits: RpcLimits,
): Promise<Sender> {
  const provided = rpcOfProvider(signer.provider, limits);
  const ownUrl = options.rpc === undefined ? undefined : httpRpc(options.rpc, limits);
  const rpc = ownUrl ?? provided ?? httpRpc(networkRpc, limits);
  const shown = Promise.resolve()
    .then(() => signer.getAddress())
    .catch(notShown);
  const address = options.address ?? checkAddress(await untilAborted(shown, limits.signal));
  const { signTransaction } = signer;
  if (typeof signer.sendUncheckedTransaction !== "function" && typeof signTransaction === "function") {
    return { kind: "signing", address, rpc, sign: (fields) => signTransaction.call(signer, fields) };
  }
  const send = async ({ to, data, value, chainId }: TransactionFields): Promise<string> => {
    const fields = { from: address, to, data, value, chainId };
    if (signer.sendUncheckedTransaction) return signer.sendUncheckedTransaction(fields);
    return (await signer.sendTransaction(fields)).hash;
  };
  return { kind: "wallet", address, rpc, ownRpc: provided, send };
}

/** Providers of ethers that speak JSON-RPC have `send(method, params)`. */
function rpcOfProvider(provider: unknown, limits: RpcLimits): Rpc | undefined {
  if (isEip1193(provider)) return providerRpc((method, params) => provider.request({ method, params }), limits);
  if (typeof provider !== "object" || provider === null || !("send" in provider)) return undefined;
  const { send } = provider;
  if (typeof send !== "function") return undefined;
  return providerRpc((method, params) => send.call(provider, method, params), limits);
}
