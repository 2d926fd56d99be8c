import { SigningKey } from "ethers/crypto";
import { computeAddress, Transaction } from "ethers/transaction";
import { untilAborted } from "../../async/abort.ts";
import { invalidOption } from "../../errors/input.ts";
import { paymentRejected } from "../../errors/payment.ts";
import { readProviderError, toSafeCause } from "../../errors/provider-error.ts";
import { checkAddress } from "../../validation/address.ts";
import { toHex } from "../chain/eth-rpc.ts";
import { httpRpc, providerRpc, type Rpc, type RpcLimits } from "../chain/rpc.ts";
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
  /** The address that a payment was begun from: nobody is asked for it again, unless the signer is another one. */
  address?: string | undefined;
  isNewSigner?: boolean | undefined;
}

/**
 * @param networkRpc - URL of the node where there is no other
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `PAYMENT_REJECTED` if a wallet does not show its address, `ABORTED`
 */
export async function createSender(options: SenderOptions, networkRpc: string, limits: RpcLimits): Promise<Sender> {
  const { privateKey, signer, rpc: url } = options;
  if (privateKey !== undefined) {
    const { key, address } = keyAccount(privateKey);
    return {
      kind: "signing",
      address,
      rpc: httpRpc(url ?? networkRpc, limits),
      sign: async (fields) => signWith(key, fields),
    };
  }
  if (isEip1193(signer)) return eip1193Sender(signer, options, limits);
  return signerSender(signer as TransactionSigner, options, networkRpc, limits);
}

function keyAccount(privateKey: string): { key: SigningKey; address: string } {
  try {
    const key = new SigningKey(privateKey.startsWith("0x") ? privateKey : `0x${privateKey}`);
    return { key, address: checkAddress(computeAddress(key)) };
  } catch {
    // What ethers has to say might repeat the key.
    throw invalidOption("privateKey", "64 hex characters that are a key");
  }
}

function signWith(key: SigningKey, fields: TransactionFields): string {
  const transaction = Transaction.from(fields);
  transaction.signature = key.sign(transaction.unsignedHash);
  return transaction.serialized;
}

async function eip1193Sender(
  wallet: Eip1193Provider,
  options: SenderOptions,
  limits: RpcLimits,
): Promise<WalletSender> {
  const request = async (method: string, params: readonly unknown[]) => wallet.request({ method, params });
  const ownRpc = providerRpc(request, limits);
  const address = knownAddress(options) ?? checkAddress(await getAccount(request, options.address, limits.signal));
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

function knownAddress({ address, isNewSigner }: SenderOptions): string | undefined {
  return isNewSigner ? undefined : address;
}

/** The account of a wallet that is wanted, or its first one. */
async function getAccount(
  request: (method: string, params: readonly unknown[]) => Promise<unknown>,
  wanted: string | undefined,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const answer = await untilAborted(request("eth_requestAccounts", []).catch(notShown), signal);
  const accounts: unknown[] = Array.isArray(answer) ? answer : [];
  return accounts.find((account) => String(account).toLowerCase() === wanted) ?? accounts[0];
}

function notShown(error: unknown): never {
  throw paymentRejected("account", toSafeCause(readProviderError(error)));
}

async function signerSender(
  signer: TransactionSigner,
  options: SenderOptions,
  networkRpc: string,
  limits: RpcLimits,
): Promise<Sender> {
  const provided = getProviderRpc(signer.provider, limits);
  const ownUrl = options.rpc === undefined ? undefined : httpRpc(options.rpc, limits);
  const rpc = ownUrl ?? provided ?? httpRpc(networkRpc, limits);
  const shown = async (): Promise<unknown> => signer.getAddress();
  const address = knownAddress(options) ?? checkAddress(await untilAborted(shown().catch(notShown), limits.signal));
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
function getProviderRpc(provider: unknown, limits: RpcLimits): Rpc | undefined {
  if (isEip1193(provider)) return providerRpc((method, params) => provider.request({ method, params }), limits);
  if (typeof provider !== "object" || provider === null || !("send" in provider)) return undefined;
  const { send } = provider;
  if (typeof send !== "function") return undefined;
  return providerRpc((method, params) => send.call(provider, method, params), limits);
}
