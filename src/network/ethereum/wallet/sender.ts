import { SigningKey } from "ethers/crypto";
import { computeAddress, Transaction } from "ethers/transaction";
import { untilAborted } from "../../../base/async/abort.ts";
import { isKeeplightError } from "../../../base/errors/base.ts";
import { invalidOption } from "../../../base/errors/input.ts";
import { readProviderError, toSafeCause } from "../../../base/errors/nodes.ts";
import { paymentRejected } from "../../../base/errors/payment.ts";
import { checkEvmAddress } from "../../../base/validation/address.ts";
import { type Eip1193Provider, getViemAccount, isEip1193, requestOnce } from "../../../base/validation/signer.ts";
import { connectToNodes, type Nodes, toHex } from "../eth-rpc.ts";
import { createProviderRpc, type Rpc, type RpcLimits } from "../json-rpc.ts";
import { createRpcPool, type RpcPool } from "../rpc-pool.ts";
import { isViemAccount, type TransactionFields, type TransactionSigner, type ViemAccount } from "./signer.ts";

/**
 * Who pays. Signing without sending is preferred: a transaction's hash is known before it is broadcast. Wallets sign and
 * send in one call (`eth_sendTransaction`): the hash is unknown until they respond.
 */
export interface Sender {
  /** Lower-case. */
  address: string;
  rpc: RpcPool;
  /** Returns the signed transaction in hex. Absent if only a wallet can send. */
  sign?: ((transaction: TransactionFields) => Promise<string>) | undefined;
  /** Called when a transaction was broadcast, for a signer that counts its nonces itself. */
  onBroadcast?: (() => void) | undefined;
  /** Has a wallet sign and send; returns the hash. */
  send?: (transaction: TransactionFields) => Promise<string>;
  /** The wallet's own connection, which `rpc` may differ from. */
  ownRpc?: RpcPool | undefined;
  /** Requests anything else of the wallet, without a time limit: for as long as its window is open. */
  prompt?: Rpc | undefined;
}

/** By what a wallet's work is known: the hash of a transaction, or the id of calls that it makes in one. */
export type WalletAnswer = { hash: string } | { callsId: string };

export interface SenderOptions {
  privateKey?: string | undefined;
  signer?: unknown;
  /** URLs of the nodes to use instead of the signer's own. */
  rpc?: readonly string[] | undefined;
  /** The address that the payment started from. It is requested again only from a new signer. */
  address?: string | undefined;
  isNewSigner?: boolean | undefined;
  /** Whether a wallet is only asked which accounts it has already shown. */
  isQuiet?: boolean | undefined;
}

/**
 * @param network - its nodes are used if there are no others
 * @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `PAYMENT_REJECTED` if a signer does not show its address, `ABORTED`
 */
export async function createSender(options: SenderOptions, network: Nodes, limits: RpcLimits): Promise<Sender> {
  const { privateKey, signer } = options;
  const connect = (prompt?: Rpc) => {
    // It may switch to another chain at any time.
    const ownRpc = prompt && createRpcPool([createProviderRpc(prompt, limits)], undefined, limits.signal);
    const isOwn = ownRpc !== undefined && options.rpc === undefined;
    return { ownRpc, rpc: isOwn ? ownRpc : connectToNodes(network, options.rpc, limits) };
  };
  if (privateKey !== undefined) {
    const { key, address } = parsePrivateKey(privateKey);
    return { address, rpc: connect().rpc, sign: async (fields) => signWith(key, fields) };
  }
  if (isViemAccount(signer)) return createAccountSender(signer, connect().rpc);
  if (!isEip1193(signer)) return createSignerSender(signer as TransactionSigner, options, connect, limits.signal);
  const account = getViemAccount(signer);
  if (!isViemAccount(account)) return createWalletSender(signer, options, connect, limits);
  // Only a connection to nodes: the account signs by itself.
  return createAccountSender(account, connect(async (method, params) => signer.request({ method, params })).rpc);
}

/** Connects to the caller's nodes, else through the signer's own connection, else to the network's nodes. */
type Connect = (prompt?: Rpc) => Pick<Sender, "rpc" | "ownRpc">;

function createAccountSender(account: ViemAccount, rpc: RpcPool): Sender {
  const sign = ({ type, gasLimit: gas, ...fields }: TransactionFields): Promise<string> =>
    account.signTransaction({ ...fields, gas, type: type === 0 ? "legacy" : "eip1559" });
  return { address: checkEvmAddress(account.address), rpc, sign };
}

function toPrompt(wallet: Eip1193Provider): Rpc {
  return (method, params) => requestOnce(wallet, method, params);
}

/** Throws `INVALID_OPTION`, without the key. */
function parsePrivateKey(privateKey: string): { key: SigningKey; address: string } {
  try {
    const key = new SigningKey(privateKey.startsWith("0x") ? privateKey : `0x${privateKey}`);
    return { key, address: checkEvmAddress(computeAddress(key)) };
  } catch {
    // The error of ethers is dropped: its message might repeat the key.
    throw invalidOption("privateKey", "64 hex characters that are a valid key");
  }
}

function signWith(key: SigningKey, fields: TransactionFields): string {
  const transaction = Transaction.from(fields);
  transaction.signature = key.sign(transaction.unsignedHash);
  return transaction.serialized;
}

/** Reads the address of a signer, unless it is known. A wallet that shows none has rejected. */
async function readAddress(
  request: () => Promise<unknown>,
  { address, isNewSigner }: SenderOptions,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (address !== undefined && !isNewSigner) return address;
  const shown = request().catch((error: unknown) => {
    throw isKeeplightError(error) ? error : paymentRejected("account", toSafeCause(readProviderError(error)));
  });
  return checkEvmAddress(await untilAborted(shown, signal));
}

async function createWalletSender(
  wallet: Eip1193Provider,
  options: SenderOptions,
  connect: Connect,
  limits: RpcLimits,
): Promise<Sender> {
  const prompt = toPrompt(wallet);
  const named = getViemAccount(wallet)?.address;
  // The payment's account if the wallet shows it, else the first one.
  const requestAccount = async (): Promise<unknown> => {
    // It opens no window, so that it has a time limit.
    const shown = options.isQuiet && createProviderRpc(prompt, limits)("eth_accounts", []);
    const response = await (shown || prompt("eth_requestAccounts", []));
    const accounts: unknown[] = Array.isArray(response) ? response : [];
    return accounts.find((account) => String(account).toLowerCase() === options.address) ?? accounts[0];
  };
  const address =
    named === undefined ? await readAddress(requestAccount, options, limits.signal) : checkEvmAddress(named);
  const send = async ({ to, data, value, chainId }: TransactionFields): Promise<string> => {
    const fields = { from: address, to, data, value: toHex(value), chainId: toHex(chainId) };
    return String(await prompt("eth_sendTransaction", [fields]));
  };
  return { address, ...connect(prompt), prompt, send };
}

async function createSignerSender(
  signer: TransactionSigner,
  options: SenderOptions,
  connect: Connect,
  signal: AbortSignal | undefined,
): Promise<Sender> {
  const prompt = getProviderPrompt(signer.provider);
  const connection = connect(prompt);
  const address = await readAddress(async () => signer.getAddress(), options, signal);
  const send = async ({ to, data, value, chainId }: TransactionFields): Promise<string> => {
    const fields = { from: address, to, data, value, chainId };
    if (signer.sendUncheckedTransaction) return signer.sendUncheckedTransaction(fields);
    return (await signer.sendTransaction(fields)).hash;
  };
  const sending = { address, ...connection, prompt, send };
  const { signTransaction } = signer;
  if (typeof signer.sendUncheckedTransaction === "function" || typeof signTransaction !== "function") return sending;
  const sign = (fields: TransactionFields) => signTransaction.call(signer, fields);
  return { ...sending, sign, onBroadcast: () => resetNonce(signer) };
}

/** Returns what sends by the same wallet, if this error shows that a signer of ethers cannot sign without sending. */
export function toSendingOnly(sender: Sender, error: unknown): Sender | undefined {
  const isSendingOnly = (Object(error) as { code?: unknown }).code === "UNSUPPORTED_OPERATION";
  return isSendingOnly && sender.send ? { ...sender, sign: undefined } : undefined;
}

/** Lets the `NonceManager` of ethers read its next nonce from the chain: it does not know of this transaction. */
function resetNonce(signer: TransactionSigner): void {
  if ("increment" in signer && "reset" in signer && typeof signer.reset === "function") signer.reset();
}

/** Finds the signer's own connection. The JSON-RPC providers of ethers have `send(method, params)`. */
function getProviderPrompt(provider: unknown): Rpc | undefined {
  if (isEip1193(provider)) return toPrompt(provider);
  if (typeof provider !== "object" || provider === null || !("send" in provider)) return undefined;
  const { send } = provider;
  if (typeof send !== "function") return undefined;
  return async (method, params) => send.call(provider, method, params);
}
