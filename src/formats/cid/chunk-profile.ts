import { valueThat } from "../../base/operation.ts";
import type { CidVersion } from "./content-id.ts";

/** How a file is split into blocks, which determines its content id. */
export interface ChunkProfile {
  /** Leaves are raw blocks in version 1, and UnixFS nodes in version 0. */
  version: CidVersion;
  /** Bytes per leaf. */
  leafBytes: number;
  /** Links per node. */
  links: number;
}

/** Kubo's defaults before 2025: `unixfs-v0-2015`, and the same with raw leaves. */
export const SMALL_CHUNKS = { leafBytes: 262_144, links: 174 };

/** `unixfs-v1-2025` (IPIP-0499). */
export const LARGE_CHUNKS = { leafBytes: 1_048_576, links: 1_024 };

/** The profiles that upload nodes use by default. */
export const KNOWN_PROFILES: readonly ChunkProfile[] = [
  { version: 1, ...SMALL_CHUNKS },
  { version: 1, ...LARGE_CHUNKS },
  { version: 0, ...SMALL_CHUNKS },
];

/** Most bytes per leaf: gateways exchange no larger blocks. */
const MAX_LEAF_BYTES = 2 * 1024 * 1024;

/** Fewer bytes per leaf would hash a stranger's file for hours. */
const MIN_LEAF_BYTES = 1_024;

const MAX_LINKS = 16_384;

/** Formats a profile: version, bytes per leaf and links per node, such as `1-262144-174`. */
export function formatChunkProfile({ version, leafBytes, links }: ChunkProfile): string {
  return `${version}-${leafBytes}-${links}`;
}

/** Parses a profile; returns `undefined` for anything that is none. */
export function parseChunkProfile(text: unknown): ChunkProfile | undefined {
  const match = typeof text === "string" ? /^([01])-([1-9]\d{0,7})-([1-9]\d{0,5})$/.exec(text) : null;
  if (!match) return undefined;
  const [leafBytes, links] = [Number(match[2]), Number(match[3])];
  const isUsable = leafBytes >= MIN_LEAF_BYTES && leafBytes <= MAX_LEAF_BYTES && links >= 2 && links <= MAX_LINKS;
  return isUsable ? { version: match[1] === "1" ? 1 : 0, leafBytes, links } : undefined;
}

/** Whether a value is a chunk profile, in the one way that {@link formatChunkProfile} writes it. */
export function isChunkProfile(value: unknown): value is string {
  return parseChunkProfile(value) !== undefined;
}

/** Checks an option that is a chunk profile; throws `INVALID_OPTION`. */
export const checkChunkProfile = valueThat<string>(isChunkProfile, "a chunk profile, such as 1-262144-174");
