import type { CID } from "multiformats/cid";
import type { ReadBlock } from "../content/walk-tree.ts";
import type { Network } from "../network.ts";
import type { GatewayFormat } from "./gateway-options.ts";

/** One gateway, with what it serves from. */
export interface Gateway extends Pick<Network, "content" | "attacks"> {
  /** Its index in the devnet's list of gateways. */
  index: number;
  formats: readonly GatewayFormat[];
  /** Throws Refusal 404 for a missing block. */
  readBlock: ReadBlock;
}

/** A requested content path. */
export interface ContentRequest {
  /** The content id as requested. */
  text: string;
  root: CID;
  /** Names below it. */
  names: readonly string[];
  /** Whether the path always leads to the same content. */
  isImmutable: boolean;
}
