import { randomBytes } from "node:crypto";
import { Contract, hexlify, Interface, JsonRpcProvider, type Wallet } from "ethers";
import type { Devnet } from "../src/index.ts";

/** What a payment demand accepts. */
interface Requirements {
  network: string;
  amount: string;
  asset: string;
  payTo: string;
  extra: { name: string; version: string };
}

/** What a test changes of a payment, to spoil it. */
export interface Changes {
  accepted?: Readonly<Record<string, unknown>>;
  authorization?: Readonly<Record<string, unknown>>;
  /** Makes another signature of the one that is right. */
  signature?: (signature: string) => string;
  payment?: Readonly<Record<string, unknown>>;
}

/** A response, with its decoded headers. */
export interface Reply {
  status: number;
  body: Record<string, unknown>;
  required?: { error: string; accepts: Requirements[]; x402Version: number; resource: { url: string } };
  settled?: Record<string, unknown>;
}

const fields = [
  ["from", "address"],
  ["to", "address"],
  ["value", "uint256"],
  ["validAfter", "uint256"],
  ["validBefore", "uint256"],
  ["nonce", "bytes32"],
].map(([name = "", type = ""]) => ({ name, type }));

const DAY = 86_400;

export const hello = Buffer.from("hello");

/** Pays per upload from a wallet of the devnet, which signs for `account`, its own address unless it is a contract's. */
export function createPayer(devnet: Devnet, wallet: Wallet, account = wallet.address) {
  const url = devnet.endpoints.x402;

  async function request(path: string, headers: Readonly<Record<string, string>>, body?: Uint8Array): Promise<Reply> {
    const init = body ? { body: new Blob([new Uint8Array(body)]) } : {};
    return read(await fetch(`${url}${path}`, { method: "POST", headers, ...init }));
  }

  /** Signs what a 402 demands: the content of `PAYMENT-SIGNATURE`. */
  async function sign(accepted: Requirements, changes: Changes = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const authorization = {
      from: account,
      to: accepted.payTo,
      value: accepted.amount,
      validAfter: String(now - DAY),
      validBefore: String(now + 300),
      nonce: hexlify(randomBytes(32)),
      ...changes.authorization,
    };
    const chainId = Number(accepted.network.split(":")[1]);
    const domain = { ...accepted.extra, chainId, verifyingContract: accepted.asset };
    const right = await wallet.signTypedData(domain, { TransferWithAuthorization: fields }, authorization);
    const signature = changes.signature?.(right) ?? right;
    const payment = {
      x402Version: 2,
      accepted: { ...accepted, ...changes.accepted },
      payload: { signature, authorization },
      ...changes.payment,
    };
    return Buffer.from(JSON.stringify(payment)).toString("base64");
  }

  /** Asks for the price of a request, and signs it. */
  async function prepare(
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: Uint8Array,
    changes?: Changes,
  ) {
    const { required } = await request(path, headers, body);
    const accepted = required?.accepts[0];
    if (!accepted) throw new Error("no payment is demanded");
    return sign(accepted, changes);
  }

  const upload = (payment: string, body: Uint8Array = hello, headers: Readonly<Record<string, string>> = {}) =>
    request("/api/upload", { "x-file-name": "hello.txt", "payment-signature": payment, ...headers }, body);

  return {
    request,
    sign,
    upload,
    prepareUpload: (body: Uint8Array = hello, changes?: Changes) => prepare("/api/upload", {}, body, changes),
    /** Pays for an upload, in two requests. */
    async pay(body: Uint8Array = hello, changes?: Changes): Promise<Reply> {
      return upload(await prepare("/api/upload", {}, body, changes), body);
    },
    async renew(id: unknown): Promise<Reply> {
      const headers = { "x-file-id": String(id) };
      return request("/api/renew", { ...headers, "payment-signature": await prepare("/api/renew", headers) });
    },
  };
}

async function read(response: Response): Promise<Reply> {
  const decode = (name: string) => {
    const value = response.headers.get(name);
    return value === null ? undefined : JSON.parse(Buffer.from(value, "base64").toString());
  };
  const body = await response.json();
  return {
    status: response.status,
    body,
    required: decode("payment-required"),
    settled: decode("payment-response"),
  };
}

/** What these tests use of the token. */
export const usdc = new Interface([
  "function balanceOf(address) view returns (uint256)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
]);

/** The token of a devnet's chain, as `wallet` uses it, and the chain. */
export function connectToken({ chain }: Devnet, wallet: Wallet) {
  const provider = new JsonRpcProvider(chain?.rpc, undefined, { cacheTimeout: -1 });
  const signer = wallet.connect(provider);
  const contract = new Contract(chain?.uploadNetwork.usdc ?? "", usdc, signer);
  return {
    provider,
    signer,
    balanceOf: async (address: string): Promise<bigint> => contract.getFunction("balanceOf")(address),
    /** Calls it in a transaction. */
    async transact(name: string, args: readonly unknown[]): Promise<void> {
      const sent = await contract.getFunction(name)(...args);
      await sent.wait();
    },
  };
}
