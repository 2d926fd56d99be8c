import { hexlify, Interface, randomBytes } from "ethers";
import { type Payer, type TestChain, waitUntilMined } from "./chain-tools.ts";

/**
 * Code of a smart account that anyone may use:
 *
 *     receive() external payable {}
 *     function execute(address[] calldata to, uint256[] calldata value, bytes[] calldata data) public {
 *         for (uint256 at = 0; at < to.length; at++) {
 *             (bool succeeded, ) = to[at].call{value: value[at]}(data[at]);
 *             require(succeeded);
 *         }
 *     }
 *     function tryExecute(address[] calldata to, uint256[] calldata value, bytes[] calldata data) external {
 *         try this.execute(to, value, data) {} catch {}
 *     }
 */
const SMART_ACCOUNT_CODE =
  "0x60806040526004361061002d5760003560e01c8063a516a5bf14610039578063dcb144f51461005b57600080fd5b366100345700" +
  "5b600080fd5b34801561004557600080fd5b5061005961005436600461020d565b61007b565b005b34801561006757600080fd5b" +
  "5061005961007636600461020d565b610165565b60005b8581101561015c57600087878381811061009a5761009a6102b0565b90" +
  "506020020160208101906100af91906102e2565b6001600160a01b03168686848181106100ca576100ca6102b0565b9050602002" +
  "01358585858181106100e3576100e36102b0565b90506020028101906100f59190610304565b60405161010392919061034a565b" +
  "60006040518083038185875af1925050503d8060008114610140576040519150601f19603f3d011682016040523d82523d600060" +
  "2084013e610145565b606091505b505090508061015357600080fd5b5060010161007e565b50505050505050565b60405163a516" +
  "a5bf60e01b8152309063a516a5bf9061019290899089908990899089908990600401610420565b60006040518083038160008780" +
  "3b1580156101ac57600080fd5b505af192505050801561015c5750505050505050565b60008083601f8401126101d457600080fd" +
  "5b5081356001600160401b038111156101eb57600080fd5b6020830191508360208260051b850101111561020657600080fd5b92" +
  "50929050565b6000806000806000806060878903121561022657600080fd5b86356001600160401b0381111561023c57600080fd" +
  "5b61024889828a016101c2565b90975095505060208701356001600160401b0381111561026757600080fd5b61027389828a0161" +
  "01c2565b90955093505060408701356001600160401b0381111561029257600080fd5b61029e89828a016101c2565b979a969950" +
  "9497509295939492505050565b634e487b7160e01b600052603260045260246000fd5b80356001600160a01b03811681146102dd" +
  "57600080fd5b919050565b6000602082840312156102f457600080fd5b6102fd826102c6565b9392505050565b6000808335601e" +
  "1984360301811261031b57600080fd5b8301803591506001600160401b0382111561033557600080fd5b60200191503681900382" +
  "131561020657600080fd5b8183823760009101908152919050565b81835281816020850137506000828201602090810191909152" +
  "601f909101601f19169091010190565b60008383855260208501945060208460051b820101836000601e19863603015b87821015" +
  "61041357848403601f1901895282358181126103c257600080fd5b87016020810190356001600160401b038111156103de576000" +
  "80fd5b8036038213156103ed57600080fd5b6103f886828461035a565b9550505060208301925060208901985060018201915061" +
  "03a3565b5091979650505050505050565b6060808252810186905260008760808301825b89811015610461576001600160a01b03" +
  "61044c846102c6565b16825260209283019290910190600101610433565b5083810360208501528681526001600160fb1b038711" +
  "1561048157600080fd5b8660051b91508188602083013701828103602090810160408501526104a99082018587610383565b9998" +
  "50505050505050505056";

const smartAccount = new Interface([
  "function execute(address[] to, uint256[] value, bytes[] data)",
  "function tryExecute(address[] to, uint256[] value, bytes[] data)",
]);

/** A call that a smart account carries out. */
export interface SmartCall {
  to: string;
  data?: string;
  value?: string;
}

/** Turns a payer into a smart account (a Safe, or one of ERC-4337), for which another account sends transactions. */
export async function toSmartAccount({ rpc }: TestChain, { address }: Payer): Promise<void> {
  await rpc("anvil_setCode", address, SMART_ACCOUNT_CODE);
}

/**
 * Sends a transaction in which the smart account carries out calls: all or none of them, and like a bundle of ERC-4337 it
 * succeeds even if they fail. Returns its hash.
 */
export async function sendBundle(
  { rpc }: TestChain,
  account: string,
  calls: readonly SmartCall[],
  name: "execute" | "tryExecute" = "tryExecute",
): Promise<string> {
  // The node's own accounts are listed first, then those that tests impersonate.
  const [, bundler] = await rpc<string[]>("eth_accounts");
  const data = smartAccount.encodeFunctionData(name, [
    calls.map(({ to }) => to),
    calls.map(({ value = "0x0" }) => value),
    calls.map(({ data: bytes = "0x" }) => bytes),
  ]);
  return rpc("eth_sendTransaction", { from: bundler, to: account, data, gas: "0xf4240" });
}

/** What a wallet of the page receives. */
export interface WalletRequest {
  method: string;
  params?: unknown;
}

/** A wallet of a smart account. It returns a hash that is not the transaction's, as Safe and ERC-4337 do. */
export function createSmartWallet(tools: TestChain, payer: Payer) {
  const methods: string[] = [];
  const request = async ({ method, params = [] }: WalletRequest): Promise<unknown> => {
    methods.push(method);
    if (method === "eth_requestAccounts") return [payer.address];
    if (method !== "eth_sendTransaction") return tools.rpc(method, ...(params as unknown[]));
    const [call] = params as [SmartCall];
    await waitUntilMined(tools, await sendBundle(tools, payer.address, [call]));
    return hexlify(randomBytes(32));
  };
  return { request, methods };
}

/** What a wallet with several calls in one transaction does; may change at any time. */
export interface CallsBehaviour {
  /** Of its capability `atomic`. */
  atomic: "supported" | "ready" | "unsupported";
  /** Code of the error by which it refuses `wallet_sendCalls`. */
  refusal?: number | undefined;
  /** How it carries out calls: `later` only when `carryOut` is called, `failing` with a payment that fails. */
  calls: "at once" | "later" | "failing";
  /** Whether it breaks the connection when it was requested to make calls. */
  losesResponse?: boolean;
  /** Reports this instead of the status of the calls. */
  status?: number | undefined;
  /** Whether it chooses the ids of calls itself. */
  hasOwnIds?: boolean;
  /** Whether it has forgotten all ids. */
  isForgetful?: boolean;
}

/** A wallet of a smart account with the methods of EIP-5792. Its other transactions are sent by the account itself. */
export function createCallsWallet(tools: TestChain, payer: Payer, behaviour: CallsBehaviour) {
  const requests: { method: string; params: unknown[] }[] = [];
  const bundles = new Map<string, { calls: SmartCall[]; hash?: string; ended?: number }>();

  async function carryOut(): Promise<void> {
    for (const bundle of bundles.values()) {
      if (bundle.hash !== undefined) continue;
      const fails = behaviour.calls === "failing";
      const failing = bundle.calls.map((call) => ({ ...call, value: `0x${"f".repeat(30)}` }));
      bundle.hash = await sendBundle(tools, payer.address, fails ? failing : bundle.calls);
      bundle.ended = fails ? 500 : 200;
      await waitUntilMined(tools, bundle.hash);
    }
  }

  async function makeCalls({ id, calls }: { id: string; calls: SmartCall[] }): Promise<unknown> {
    if (behaviour.refusal !== undefined) throw Object.assign(new Error("refused"), { code: behaviour.refusal });
    const name = behaviour.hasOwnIds ? hexlify(randomBytes(64)) : id;
    bundles.set(name, { calls });
    if (behaviour.calls !== "later") await carryOut();
    if (behaviour.losesResponse) throw new Error("lost connection");
    return { id: name };
  }

  function readStatus(id: string): unknown {
    const bundle = behaviour.isForgetful ? undefined : bundles.get(id);
    if (!bundle) throw Object.assign(new Error("unknown bundle"), { code: 5730 });
    const { hash, ended = 100 } = bundle;
    const receipts = hash === undefined ? undefined : [{ transactionHash: hash, logs: [], status: "0x1" }];
    return { version: "2.0.0", id, status: behaviour.status ?? ended, receipts };
  }

  const request = async ({ method, params = [] }: WalletRequest): Promise<unknown> => {
    const [first] = params as unknown[];
    if (/wallet_sendCalls|eth_sendTransaction/.test(method)) requests.push({ method, params: params as unknown[] });
    if (method === "eth_requestAccounts") return [payer.address];
    if (method === "wallet_getCapabilities") return { "0x7a69": { atomic: { status: behaviour.atomic } } };
    if (method === "wallet_sendCalls") return makeCalls(first as { id: string; calls: SmartCall[] });
    if (method === "wallet_getCallsStatus") return readStatus(String(first));
    if (method === "eth_sendTransaction") {
      const hash = await sendBundle(tools, payer.address, [first as SmartCall]);
      await waitUntilMined(tools, hash);
      return hash;
    }
    return tools.rpc(method, ...(params as unknown[]));
  };
  /** Never carries out what was requested so far. */
  const forget = () => bundles.clear();

  return { request, carryOut, forget, behaviour, requests, methods: () => requests.map(({ method }) => method) };
}
