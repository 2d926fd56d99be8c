import {
  createKit,
  type Journal,
  type JournalLike,
  type Kit,
  type KitDefaults,
  type Signer,
  type SignerLike,
  type Source,
  type UploadedFiles,
} from "keeplight";
import { copyOptions, getKeeper, getViemAccount, keepSignIn, resolveSigner } from "keeplight/parts";

/** A drive, as uploads use it. */
export interface UploadDrive {
  add(source: Source, options: object): Promise<UploadedFiles>;
  /** To be awaited before an upload of the journal is resumed, which may be one to the drive. Throws what opening throws. */
  whenOpen(): Promise<unknown>;
}

/** A kit, and the account that it acts for. */
export interface BoundKit {
  kit: Kit;
  /** Of all options but the signer. */
  optionsKey: string;
  signal: AbortSignal | undefined;
  /** What `openJournal` returned, if that is among the options. */
  journal: Journal | undefined;
  /** What resuming an operation of the journal takes, and opening a drive. */
  resumeDefaults: Omit<KitDefaults, "journal" | "signal">;
  signer: FollowedSigner | undefined;
  /** Calls the functions among these options from now on. */
  followFunctions(options: KitDefaults): void;
  /** That of a `DriveProvider` below. */
  drive?: UploadDrive;
  /** Identifies the account: by the address of the signer or owner, else by what lets its uploads in. */
  accountId: string;
}

/** Binds a provider's options. `previous` lends its signer if that is of the same account. */
export function bindKit(given: KitDefaults, previous?: BoundKit): BoundKit {
  const functions = followFunctions(given);
  const options = { ...copyOptions(given), ...functions.stable } as KitDefaults;
  const { signer, signal, apiKey, via, endpoints } = options;
  const isSame = signer !== undefined && previous?.signer?.compare(signer) === true;
  const followed = isSame ? previous?.signer : signer && followSigner(signer);
  const owner = followed?.id ?? options.address?.toLowerCase();
  const defaults = followed ? ({ ...options, signer: followed.signer } as KitDefaults) : options;
  const { journal, signal: _, ...resumeDefaults } = defaults;
  return {
    kit: createKit(defaults) as Kit,
    journal: isJournal(journal) ? journal : undefined,
    resumeDefaults,
    optionsKey: computeOptionsKey(options),
    followFunctions: functions.follow,
    signal,
    signer: followed,
    accountId: JSON.stringify([endpoints, owner ?? [apiKey, via]]),
  };
}

/** Whether a kit still serves these options: a promise if the signers have to be queried. */
export function isBoundTo(bound: BoundKit, options: KitDefaults): boolean | Promise<boolean> {
  if (bound.optionsKey !== computeOptionsKey(options) || bound.signal !== options.signal) return false;
  if (bound.journal !== options.journal) return false;
  const { signer } = options;
  if (!bound.signer || signer === undefined) return bound.signer === signer;
  return bound.signer.compare(signer);
}

/** The values of all options but those that are compared by themselves. Of functions, whether they are there. */
function computeOptionsKey({ signer: _, signal: __, journal: ___, ...others }: KitDefaults): string {
  return JSON.stringify(others, (_name, value) => (typeof value === "function" ? "function" : value));
}

/** Options that may be other functions at each rendering: the kit calls the latest. */
function followFunctions(first: KitDefaults) {
  let latest: Readonly<Record<string, unknown>> = { ...first };
  const names = ["recoveryTo", "acceptMessage"].filter((name) => typeof latest[name] === "function");
  const call = (name: string, given: unknown[]) => (latest[name] as (...given: unknown[]) => unknown)(...given);
  return {
    stable: Object.fromEntries(names.map((name) => [name, (...given: unknown[]) => call(name, given)])),
    follow(next: KitDefaults): void {
      latest = { ...next };
    },
  };
}

function isJournal(journal: JournalLike | undefined): journal is Journal {
  return journal !== undefined && "resume" in journal;
}

type FollowedSigner = ReturnType<typeof followSigner>;

/** What the signers' own `getAddress()` has returned: it is called once per object. */
const requested = new WeakMap<object, string | Promise<string | undefined>>();
let lastId = 0;

/**
 * The signer of one account, which may be another object at each rendering. What it signs, it signs with the latest of
 * them, and never for another account than the first one that was used.
 */
export function followSigner(first: SignerLike) {
  let latest = first;
  let address = readAddress(first);

  async function resolve(): Promise<Signer> {
    const signer = await resolveSigner(latest);
    const current = (await signer.getAddress()).toLowerCase();
    address ??= current;
    if (current !== address) throw new Error("The signer's account has changed");
    return signer;
  }

  const plain: Signer = {
    getAddress: async () => (await resolve()).getAddress(),
    signMessage: async (message) => (await resolve()).signMessage(message),
  };
  const signer = keepSignIn(plain, () => getKeeper(latest));
  return {
    /** Identifies the account in this page: its address, if that is known without waiting. */
    id: address ?? `signer ${++lastId}`,
    /** In lower case, once it is known. */
    address: () => address,
    /** The same; of a wallet that has not chosen one yet, `undefined`. */
    findAddress: async () => address ?? (await requestAddress(latest)),
    latest: () => latest,
    /** For the kit. The same object as long as the account is the same. */
    signer,
    /** Whether `next` signs for the same account; a promise if that takes the signers' own `getAddress()`. */
    compare(next: SignerLike): boolean | Promise<boolean> {
      if (next === latest) return true;
      // What is kept for a session is used for no other one, not even of its account.
      if (getKeeper(next) || getKeeper(latest)) return false;
      const [own, other] = [address ?? requestAddress(latest), readAddress(next) ?? requestAddress(next)];
      if (own === undefined || other === undefined) return false;
      if (typeof own === "string" && typeof other === "string") return own === other;
      return Promise.all([own, other]).then(([one, another]) => one !== undefined && one === another);
    },
    /** Signs with `next` from now on. */
    follow(next: SignerLike): void {
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
    const none = () => undefined;
    const isKnown = typeof returned === "string";
    const address = isKnown ? returned.toLowerCase() : returned.then((value) => value.toLowerCase()).catch(none);
    requested.set(signer, address);
    return address;
  } catch {
    return undefined;
  }
}

/** `Omit` for each member of a union separately, so that mutually exclusive options stay exclusive. */
export type DistributiveOmit<Options, Name extends PropertyKey> = Options extends unknown ? Omit<Options, Name> : never;
