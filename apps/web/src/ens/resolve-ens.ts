import { Interface } from "ethers/abi";
import { dnsEncode, ensNormalize, namehash } from "ethers/hash";
import { isKeeplightError } from "keeplight";
import { checkAddress, createHttpRpc, type Rpc } from "keeplight/parts";
import { isZeroAddress } from "../contacts/find-contacts.ts";
import type { EnsNetwork } from "../network.ts";
import { EnsError } from "./ens-name.ts";

/** An ENS name, normalised, and the address that it leads to now. */
export interface ResolvedName {
  name: string;
  /** Lower case. */
  address: string;
}

const TIMEOUT_MS = 15_000;

/** What is used of the Universal Resolver (ENSIP-23), and of resolvers. */
const contracts = new Interface([
  "function resolve(bytes name, bytes data) view returns (bytes result, address resolver)",
  "function addr(bytes32 node) view returns (address)",
  "error ResolverNotFound(bytes name)",
  "error ResolverNotContract(bytes name, address resolver)",
  "error UnsupportedResolverProfile(bytes4 selector)",
  "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)",
]);

/**
 * Looks up the address of an ENS name. No server but the node is asked: names whose address is elsewhere are refused.
 *
 * @throws {@link EnsError}; `ABORTED`
 */
export async function resolveEns(
  text: string,
  network: EnsNetwork | undefined,
  signal: AbortSignal,
): Promise<ResolvedName> {
  if (!network) throw new EnsError("unconfigured");
  const { name, call } = encodeCall(text);
  const rpc = createHttpRpc(network.rpc, { signal, timeoutMs: TIMEOUT_MS });
  try {
    // Another chain may have a contract at the same address.
    if (Number(await rpc("eth_chainId", [])) !== network.chainId) throw new EnsError("wrongChain");
    return { name, address: await requestAddress(rpc, network.resolver, call) };
  } catch (error) {
    if (error instanceof EnsError || isKeeplightError(error, "ABORTED")) throw error;
    throw new EnsError("unavailable", error);
  }
}

function encodeCall(text: string): { name: string; call: string } {
  try {
    const name = ensNormalize(text);
    const data = contracts.encodeFunctionData("addr", [namehash(name)]);
    return { name, call: contracts.encodeFunctionData("resolve", [dnsEncode(name, 255), data]) };
  } catch (error) {
    throw new EnsError("invalid", error);
  }
}

async function requestAddress(rpc: Rpc, to: string, data: string): Promise<string> {
  const response = await rpc("eth_call", [{ to, data }, "latest"]).catch((error: unknown) => {
    throw explainRevert(error);
  });
  const [result] = contracts.decodeFunctionResult("resolve", String(response));
  if (result === "0x") throw new EnsError("unset");
  const address = checkAddress(contracts.decodeFunctionResult("addr", result)[0]);
  if (isZeroAddress(address)) throw new EnsError("unset");
  return address;
}

/** Returns what a known revert says of the name; any other error as it is. */
function explainRevert(error: unknown): unknown {
  const data = isKeeplightError(error, "RPC_REFUSED") ? error.details.data : undefined;
  const reason = typeof data === "string" ? contracts.parseError(data)?.name : undefined;
  if (reason === undefined) return error;
  return new EnsError(reason === "OffchainLookup" ? "offchain" : "unset", error);
}
