import type { ConditionProblem, NoDetails } from "../facts.ts";

/** Facts of invalid input, which is refused before anything is sent, and of sources that cannot be read. */
export interface InputDetails {
  /** Not a CID. */
  INVALID_CID: {
    /** What was passed. */
    cid: string;
    /** What to pass instead, if it shows what was passed by mistake. */
    advice?: string;
  };
  /** Not an EVM or base58 address. */
  INVALID_ADDRESS: {
    /** What was passed. */
    address: string;
    /** Its place in the list of addresses, from 0. */
    position?: number;
    /** How it is spelled if all of its digits are right: set if only its checksum (EIP-55) is wrong. */
    expected?: string;
  };
  /** Not a key that can be split or used. */
  INVALID_KEY: NoDetails;
  /** Not the shards of one key. */
  INVALID_SHARDS: {
    /** Place of the invalid shard in the list, from 0; absent if no single one is. */
    position?: number;
  };
  /** An option that is unknown, missing or malformed. */
  INVALID_OPTION: {
    /** Name of the option, with the path to it if it is nested: `endpoints.api`. */
    option?: string;
    /** The known name that is most like it. */
    nearest?: string;
    /** What kind of value was passed instead of an object of options. */
    received?: string;
  };
  /** Not something that can be uploaded. */
  INVALID_SOURCE: {
    /** Name of the file, if it has one. */
    name?: string;
  };
  /** Access conditions that a node would not accept. */
  INVALID_CONDITION: {
    /** Everything that is wrong with them. */
    problems: readonly [ConditionProblem, ...ConditionProblem[]];
  };
  /** Two files would have the same name. */
  DUPLICATE_NAME: {
    /** The name that both files would have. */
    name: string;
    /** The first of the two, as it was passed. */
    first: string;
  };
  /** The call requires an API key. */
  MISSING_API_KEY: NoDetails;
  /** The call requires a signer, or an address and a token. */
  MISSING_OWNER: NoDetails;
  /** A signature cannot authenticate several files. */
  NOT_A_JWT: NoDetails;
  /** The file exceeds the limit of the format, or an upload that of its endpoint. */
  FILE_TOO_LARGE: {
    /** Maximum number of bytes. */
    limit: number;
    /** Name of the file, if a single one is too large. */
    name?: string;
    /** Its number of bytes, if that is known. */
    size?: number;
  };
  /** An upload endpoint does not accept the request or one of its files. */
  UPLOAD_REFUSED: {
    /** What it does not accept: the user, the origin of the page, the number of files, the type of one, or a folder. */
    reason: "access" | "origin" | "count" | "type" | "folder";
    /** Maximum number of files, with `count`. */
    limit?: number;
    /** The accepted types, with `type`. */
    types?: readonly string[];
    /** Name of the file, with `type`. */
    name?: string;
  };
  /** The file changed while it was read. */
  SOURCE_CHANGED: {
    /** Name of the file. */
    name: string;
    /** Its size when it was opened. */
    expectedBytes: number;
    /** Number of bytes that were read. */
    gotBytes: number;
  };
  /** The file could not be read. */
  SOURCE_UNREADABLE: {
    /** Name of the file. */
    name: string;
    /** Its path, or its name if it has none. */
    path: string;
    /** The operating system's code, such as `ENOENT`. */
    code?: string;
  };
}
