import type { Eip1193Provider, TypedDataSigner } from "keeplight";
import { checkAddress, getViemAccount, invalidOption, promptSigner, requestOnce } from "keeplight/parts";
import type { PayerLike, ViemTypedDataSigner } from "./options.ts";

/** What is signed (EIP-712), in a form that JSON can transmit. */
export interface TypedData {
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  primaryType: string;
  /** Without that of the domain. */
  types: Record<string, { name: string; type: string }[]>;
  message: Record<string, string>;
}

/** Signs for one address. */
export interface Payer {
  /** Lower-case. */
  address: string;
  /** @throws `SIGNATURE_REJECTED`, `INVALID_OPTION`, `ABORTED` */
  sign(data: TypedData, signal: AbortSignal | undefined): Promise<string>;
}

/** Of an account 65 bytes; those of contracts (ERC-1271, ERC-6492) are longer, and have to fit into a header. */
const SIGNATURE = /^0x(?:[0-9a-f]{2}){65,4096}$/i;

const DOMAIN_TYPE = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

/** @throws `INVALID_OPTION`, `INVALID_ADDRESS`, `SIGNATURE_REJECTED` if a wallet does not show its address, `ABORTED` */
export async function resolvePayer(signer: PayerLike, signal: AbortSignal | undefined): Promise<Payer> {
  const { readAddress, sign } = tryToAdapt(signer);
  const address = checkAddress(await promptSigner(readAddress, signal)).toLowerCase();
  if (!address.startsWith("0x")) throw invalidOption("payPerUpload.signer", "the signer of an EVM address");
  return {
    address,
    async sign(data, stop) {
      const signature = await promptSigner(() => sign(data, address), stop);
      if (typeof signature === "string" && SIGNATURE.test(signature)) return signature;
      throw invalidOption("payPerUpload.signer", "a signer that returns the signature of typed data in hex");
    },
  };
}

/** Reading the fields of a signer may throw anything. */
function tryToAdapt(signer: PayerLike): Adapted {
  try {
    return adapt(signer);
  } catch {
    throw invalidOption("payPerUpload.signer", "a signer of ethers or viem that signs typed data, or a wallet");
  }
}

interface Adapted {
  readAddress(): Promise<unknown>;
  sign(data: TypedData, address: string): Promise<unknown>;
}

function adapt(signer: PayerLike): Adapted {
  const account = isViemAccount(signer) ? signer : getViemAccount(signer);
  if (isViemAccount(account)) {
    return { readAddress: async () => account.address, sign: async (data) => account.signTypedData(data) };
  }
  if (isEip1193(signer)) {
    return {
      async readAddress() {
        if (account) return account.address;
        const accounts = await requestOnce(signer, "eth_requestAccounts");
        return Array.isArray(accounts) ? accounts[0] : undefined;
      },
      async sign(data, address) {
        const typed = { ...data, types: { EIP712Domain: DOMAIN_TYPE, ...data.types } };
        return requestOnce(signer, "eth_signTypedData_v4", [address, JSON.stringify(typed)]);
      },
    };
  }
  const { getAddress, signTypedData } = signer as Partial<TypedDataSigner>;
  if (typeof getAddress !== "function" || typeof signTypedData !== "function") throw new TypeError("no signer");
  const own = signer as TypedDataSigner;
  return {
    readAddress: async () => own.getAddress(),
    sign: async ({ domain, types, message }) => own.signTypedData({ ...domain }, types, message),
  };
}

function isEip1193(value: unknown): value is Eip1193Provider {
  return typeof (Object(value) as Partial<Eip1193Provider>).request === "function";
}

/** Smart accounts of viem have a `getAddress()`, too. */
function isViemAccount(value: unknown): value is ViemTypedDataSigner {
  const { address, signTypedData, getAddress, type } = Object(value) as Record<string, unknown>;
  const isOfEthers = typeof getAddress === "function" && type !== "smart";
  return typeof address === "string" && typeof signTypedData === "function" && !isOfEthers && !isEip1193(value);
}
