import type { Signer, SignerLike } from "keeplight";
import { getViemAccount, resolveSigner } from "keeplight/parts";

/**
 * The signer of one account, which may be another object at each rendering. What it signs, it signs with the latest of
 * them, and never for another account than the first one that was used.
 */
export interface FollowedSigner {
  /** For the kit. The same object as long as the account is the same. */
  signer: Signer;
  /** Identifies the account in this page: its address, if that is known without waiting. */
  id: string;
  /** In lower case, once it is known. */
  address(): string | undefined;
  latest(): SignerLike;
  /** Whether `next` signs for the same account; a promise if that takes the signers' own `getAddress()`. */
  compare(next: SignerLike): boolean | Promise<boolean>;
  /** Signs with `next` from now on. */
  follow(next: SignerLike): void;
}

/** What the signers' own `getAddress()` has returned: it is called once per object. */
const requested = new WeakMap<object, string | Promise<string | undefined>>();
let lastId = 0;

export function followSigner(first: SignerLike): FollowedSigner {
  let latest = first;
  let address = readAddress(first);

  async function resolve(): Promise<Signer> {
    const signer = await resolveSigner(latest);
    const current = (await signer.getAddress()).toLowerCase();
    address ??= current;
    if (current !== address) throw new Error("The signer's account has changed");
    return signer;
  }

  return {
    id: address ?? `signer ${++lastId}`,
    address: () => address,
    latest: () => latest,
    signer: {
      getAddress: async () => (await resolve()).getAddress(),
      signMessage: async (message) => (await resolve()).signMessage(message),
    },
    compare(next) {
      if (next === latest) return true;
      const [own, other] = [address ?? requestAddress(latest), readAddress(next) ?? requestAddress(next)];
      if (own === undefined || other === undefined) return false;
      if (typeof own === "string" && typeof other === "string") return own === other;
      return Promise.all([own, other]).then(([one, another]) => one !== undefined && one === another);
    },
    follow(next) {
      latest = next;
    },
  };
}

/** Returns a signer's address, in lower case, if it can be read without calling anything. */
function readAddress(signer: SignerLike): string | undefined {
  const { address } = Object(signer) as { address?: unknown };
  const known = typeof address === "string" ? address : getViemAccount(signer)?.address;
  return known?.toLowerCase();
}

/** Requests the address of a signer; not a wallet, which has one only after its user has chosen it. */
function requestAddress(signer: SignerLike): string | Promise<string | undefined> | undefined {
  if (!("getAddress" in signer) || typeof signer.getAddress !== "function") return undefined;
  const known = requested.get(signer);
  if (known !== undefined) return known;
  try {
    const returned = signer.getAddress() as string | Promise<string>;
    const address =
      typeof returned === "string"
        ? returned.toLowerCase()
        : returned.then(
            (value) => value.toLowerCase(),
            () => undefined,
          );
    requested.set(signer, address);
    return address;
  } catch {
    return undefined;
  }
}
