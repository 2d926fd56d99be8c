import { toSafeName } from "../ui/file-name.tsx";

/** What a token's contract says of itself. */
export interface TokenFacts {
  chain: string;
  /** Lower case. */
  contract: string;
  /** `undefined` if the contract names none: amounts are in base units then. */
  decimals: number | undefined;
  /** Its maker chose it. */
  symbol: string | undefined;
}

/** `decimals()` and `symbol()`. */
const CALLS = { decimals: "0x313ce567", symbol: "0x95d89b41" };
const MAX_DECIMALS = 36;
const MAX_SYMBOL = 12;
const TIMEOUT_MS = 8_000;

/** What nodes report if a contract has no such function. */
const REVERTED = /revert|invalid opcode/i;
const REVERT_CODE = 3;

/**
 * Reads decimals and symbol of an ERC-20 token on its chain. What the contract does not name is missing; without `rpc`,
 * both.
 *
 * @throws Error if the node did not respond, or with something else: amounts in a wrong unit would be saved
 */
export async function readToken(
  { chain, contract }: { chain: string; contract: string },
  rpc: string | undefined,
  signal: AbortSignal,
): Promise<TokenFacts> {
  const call = async (data: string) => (rpc === undefined ? undefined : callContract(rpc, contract, data, signal));
  const [decimals, symbol] = await Promise.all([call(CALLS.decimals), call(CALLS.symbol)]);
  return { chain, contract: contract.toLowerCase(), decimals: readDecimals(decimals), symbol: readSymbol(symbol) };
}

/** Returns what a call returns, in hexadecimal digits, or `undefined` if the contract has no such function. */
async function callContract(
  rpc: string,
  contract: string,
  data: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const response = await fetch(rpc, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [{ to: contract, data }, "latest"] }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const { result, error } = (await response.json()) as {
    result?: unknown;
    error?: { code?: unknown; message?: unknown };
  };
  if (typeof result === "string" && /^0x([0-9a-f]{2})*$/i.test(result)) return result.slice(2) || undefined;
  if (error?.code === REVERT_CODE || REVERTED.test(String(error?.message ?? ""))) return undefined;
  throw new Error("The chain’s node did not respond to the call");
}

function readDecimals(hex: string | undefined): number | undefined {
  if (hex?.length !== 64) return undefined;
  const value = BigInt(`0x${hex}`);
  return value <= MAX_DECIMALS ? Number(value) : undefined;
}

/** An ABI string; some old contracts return 32 bytes instead. */
function readSymbol(hex: string | undefined): string | undefined {
  if (hex === undefined) return undefined;
  const length = hex.length === 64 ? 32 : Number(BigInt(`0x${hex.slice(64, 128) || "0"}`));
  const start = hex.length === 64 ? 0 : 128;
  if (length > 32 * MAX_SYMBOL) return undefined;
  const pairs = hex.slice(start, start + 2 * length).match(/../g) ?? [];
  const bytes = Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)).filter((byte) => byte !== 0);
  const text = toSafeName(new TextDecoder().decode(bytes)).trim().slice(0, MAX_SYMBOL);
  return text === "" ? undefined : text;
}
