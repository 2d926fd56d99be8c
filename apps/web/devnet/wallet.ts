import type { TypedDataDomain, Wallet } from "ethers";

/** A call of the page to a wallet of the devnet. */
export interface WalletCall {
  address: string;
  method: string;
  params: readonly unknown[];
}

/**
 * Handles EIP-1193 calls as a wallet that approves everything. For a local network only: the keys never leave this
 * process, but anyone who can reach it can use them.
 */
export async function handleWalletCall(
  { address, method, params }: WalletCall,
  wallets: readonly Wallet[],
  chain: { chainId: number; rpc: string } | undefined,
): Promise<unknown> {
  const wallet = wallets.find((known) => known.address.toLowerCase() === address.toLowerCase());
  if (!wallet) throw new Error("Unknown account");
  switch (method) {
    case "eth_requestAccounts":
    case "eth_accounts":
      return [wallet.address];
    case "personal_sign":
      return wallet.signMessage(Buffer.from(String(params[0]).slice(2), "hex"));
    case "eth_signTypedData_v4":
      return signTypedData(wallet, JSON.parse(String(params[1])) as TypedData);
    case "eth_chainId":
      return `0x${(chain?.chainId ?? 1).toString(16)}`;
    case "wallet_switchEthereumChain":
      return null;
    case "eth_sendTransaction":
      return send(wallet, params[0] as Record<string, string>, requireChain(chain).rpc);
    default:
      return forward(requireChain(chain).rpc, method, params);
  }
}

interface TypedData {
  domain: TypedDataDomain;
  types: Record<string, { name: string; type: string }[]>;
  message: Record<string, unknown>;
}

function signTypedData(wallet: Wallet, { domain, types, message }: TypedData): Promise<string> {
  const { EIP712Domain: _, ...own } = types;
  return wallet.signTypedData(domain, own, message);
}

function requireChain<Chain>(chain: Chain | undefined): Chain {
  if (chain === undefined) throw new Error("This devnet runs without a chain");
  return chain;
}

async function send(wallet: Wallet, { gas, from: _, ...fields }: Record<string, string>, rpc: string): Promise<string> {
  const { JsonRpcProvider } = await import("ethers");
  const provider = new JsonRpcProvider(rpc);
  try {
    const { hash } = await wallet.connect(provider).sendTransaction({ ...fields, ...(gas ? { gasLimit: gas } : {}) });
    return hash;
  } finally {
    provider.destroy();
  }
}

async function forward(rpc: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(rpc, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string; code: number } };
  if (error) throw Object.assign(new Error(error.message), { code: error.code });
  return result;
}
