import { Contract, JsonRpcProvider, Wallet } from "ethers";
import { afterAll, beforeAll } from "vitest";
import type { UploadReceipt } from "../../../src/index.ts";
import { account, devnetForTests } from "../../../test/support/devnet-wire.ts";
import type { DevnetOptions } from "../../devnet/src/index.ts";
import { type PayPerUploadOptions, payPerUpload } from "../src/index.ts";

const usdcAbi = [
  "function balanceOf(address) view returns (uint256)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
];

/** A devnet with a chain, and a new payer with a million dollars for each test file. */
export function payerForTests(options: DevnetOptions = {}) {
  const devnet = devnetForTests({ chain: true, ...options });
  let provider: JsonRpcProvider;
  beforeAll(() => {
    provider = new JsonRpcProvider(chain().rpc, undefined, { cacheTimeout: -1 });
  });
  afterAll(() => provider.destroy());

  function chain() {
    const found = devnet().chain;
    if (!found) throw new Error("The devnet has no chain");
    return found;
  }

  /** How the nth account pays. */
  const terms = (changed: Partial<PayPerUploadOptions> = {}, n = 0): PayPerUploadOptions => ({
    signer: new Wallet(account(devnet(), n).privateKey),
    maxAmount: 10_000_000n,
    network: chain().uploadNetwork,
    waitMs: 0,
    ...changed,
  });

  const usdc = () => new Contract(chain().uploadNetwork.usdc, usdcAbi, provider);

  return {
    devnet,
    provider: () => provider,
    wallet: (n = 0) => new Wallet(account(devnet(), n).privateKey),
    terms,
    /** Options of a call that pays. */
    paying: (changed: Partial<PayPerUploadOptions> = {}, n = 0) => ({
      endpoints: devnet().endpoints,
      payPerUpload: payPerUpload(terms(changed, n)),
    }),
    reading: () => ({ endpoints: devnet().endpoints, network: chain().uploadNetwork }),
    /** How much a payer of the devnet has. */
    balance: async (n = 0): Promise<bigint> => usdc()["balanceOf"]?.(account(devnet(), n).address),
    /** How often the chain has carried out an authorization with this nonce; with any, without one. */
    async countPayments(nonce?: string): Promise<number> {
      const filter = usdc().filters["AuthorizationUsed"]?.(null, nonce ?? null);
      return filter ? (await usdc().queryFilter(filter, 0)).length : 0;
    },
    /** How many requests the service has received that were paid for, or asked for it. */
    countUploads: () =>
      devnet()
        .requests()
        .filter(({ service, path, method }) => service === "x402" && method === "POST" && path === "/api/upload")
        .length,
  };
}

/** The receipt of the first file of an upload. */
export function receiptOf([file]: readonly { receipt?: UploadReceipt }[]): UploadReceipt {
  if (!file?.receipt) throw new Error("There is no receipt");
  return file.receipt;
}
