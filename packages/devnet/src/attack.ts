import type { Shard } from "./key-nodes/shard-store.ts";

/** A file as the API host describes it. */
export interface RecordClaims {
  /** Content id. */
  cid?: string;
  /** Name of the file. */
  fileName?: string;
  /** MIME type. */
  mimeType?: string | null;
  /** A decimal string. */
  fileSizeInBytes?: string;
  /** Whether the client encrypted it. */
  encryption?: boolean;
}

/** An item of the upload node's response. */
export interface UploadClaim {
  /** Path of the file or folder. */
  Name: string;
  /** Its content id. */
  Hash: string;
}

/** A block that a gateway sends. */
export interface SentBlock {
  /** Its content id. */
  cid: string;
  /** Its encoded bytes. */
  bytes: Uint8Array;
}

/** Services that attack their own callers. */
export type HostileService = "api" | "keyNodes";

/** A signature that a service received for a message of the other one. */
export interface RelayedSignature {
  /** The account, in lower case. */
  address: string;
  /** Its signature. */
  signature: string;
}

/** A bearer that a key node received. */
export interface KeptToken {
  /** The node, 1 to 5. */
  node: number;
  /** The account, in lower case. */
  address: string;
  /** Its JWT, or a signature. */
  token: string;
}

interface OnFile {
  /** The only file that it applies to. Default: all. */
  cid?: string;
}

interface ByNodes extends OnFile {
  /** The colluding key nodes, 1 to 5. */
  nodes: readonly number[];
}

interface ByGateways {
  /** The only requested content id that it applies to. Default: all. */
  cid?: string;
  /** The only gateways that it applies to, by their index in the devnet's `gateways`. Default: all. */
  gateways?: readonly number[];
}

/**
 * A deliberate attack by the network's own services. Unlike a fault, it keeps to the protocol: every response is
 * well-formed. `cid` limits it to one file; `nodes` are the colluding key nodes, 1 to 5; `gateways` limits it to gateways, by
 * their index in the devnet's `gateways`. Attacks combine; of two of the same kind on the same file, the one added last
 * applies.
 */
export type Attack =
  /**
   * Nodes return these shards, by their numbers, instead of their own: of another key, scheme, threshold or file. Only
   * callers who may have a shard receive one.
   */
  | (OnFile & {
      kind: "return-shards";
      /** The shards, by the numbers of the nodes that return them. */
      shards: Readonly<Record<number, Shard>>;
    })
  /** Nodes return their shard to these addresses, too. */
  | (ByNodes & {
      kind: "admit";
      /** The addresses that receive it. */
      addresses: readonly string[];
    })
  /** Nodes confirm every change (saved shards, sharing, revoking, conditions, transfers, delegates) and carry out none. */
  | (ByNodes & { kind: "ignore-changes" })
  /** Nodes treat this address as the owner. */
  | (ByNodes & {
      kind: "seize";
      /** The address that they treat as the owner. */
      owner: string;
    })
  /** The key nodes report another owner, or other addresses that the file is shared to. */
  | (OnFile & {
      kind: "misreport-access";
      /** The reported owner. Default: the real one. */
      owner?: string;
      /** The reported addresses. Default: the real ones. */
      sharedTo?: readonly string[];
    })
  /**
   * A service repeats the first response that it sends to each read (a shard, who has access, file info, a page of the
   * listing), even after a change.
   */
  | (OnFile & {
      kind: "replay";
      /** The service that repeats its responses. */
      service: HostileService;
      /** The only key nodes, 1 to 5, whose shards it applies to. Default: all. */
      nodes?: readonly number[];
    })
  /**
   * A service requests signatures of the other service's current message instead of its own, and treats its callers as
   * signed in.
   */
  | {
      kind: "relay-message";
      /** The service that attacks. */
      service: HostileService;
      /** Receives each signature that the service is sent for such a message. */
      onSignature: (signature: RelayedSignature) => void;
    }
  /** Nodes keep the bearers of their callers. */
  | {
      kind: "keep-tokens";
      /** The key nodes, 1 to 5. */
      nodes: readonly number[];
      /** Receives the bearer of each authorized request. */
      onToken: (token: KeptToken) => void;
    }
  /** Gateways serve other bytes as a file, of any length, or parts of them; the whole file is in memory. */
  | (ByGateways & {
      kind: "tamper-content";
      /** Returns the bytes to serve instead of those of the whole file. */
      change: (bytes: Uint8Array) => Uint8Array;
    })
  /** Gateways refuse blocks and archives of a file with status 406, so that nothing but the file itself shows what it is. */
  | (ByGateways & { kind: "refuse-blocks" })
  /**
   * Gateways send these blocks instead of each one; after `null` they send no more, as if the archive were complete.
   * `index` counts the blocks of a response, from 0. A response to `format=raw` has the bytes of the first block only, or
   * none. `cid` is the requested content id: with `format=raw` that of the block, otherwise the root of the path.
   */
  | (ByGateways & {
      kind: "tamper-blocks";
      /** Returns the blocks to send instead of this one; `null` ends the response. */
      change: (block: SentBlock, index: number) => readonly SentBlock[] | null;
    })
  /** The API host describes a file differently, or with `null` not at all. */
  | (OnFile & {
      kind: "tamper-record";
      /** What it reports instead of the file's own facts; `null`: that there is no such file. */
      claims: RecordClaims | null;
    })
  /** The upload node responds with other names or content ids. It stores what it received. */
  | {
      kind: "misreport-upload";
      /** Returns the items to respond with instead of the real ones. */
      change: (items: readonly UploadClaim[]) => readonly UploadClaim[];
    };

/** The attacks of one kind. */
export type AttackOf<Kind extends Attack["kind"]> = Extract<Attack, { kind: Kind }>;
