/** Base URLs of the network's services, without a trailing slash. */
export interface Endpoints {
  /** API host: accounts, file info, usage, names, proofs. @default that of `defaultEndpoints` */
  api: string;
  /** Upload node: accepts multipart bodies and returns content ids. @default that of `defaultEndpoints` */
  upload: string;
  /** Gateway: serves the bytes of a content id. */
  gateway: string;
  /** Key nodes: one host; nodes 1 to 5 are the last segment of the path. @default that of `defaultEndpoints` */
  keyNodes: string;
}

/** Base URLs that a call may use instead of {@link defaultEndpoints}. */
export interface EndpointOptions extends Partial<Omit<Endpoints, "gateway">> {
  /**
   * One gateway, or several: the first one that works is used. Verified reads need not trust any of them.
   *
   * @default that of `defaultEndpoints`
   */
  gateway?: string | readonly string[];
}

/** Base URLs that a call uses. */
export interface ResolvedEndpoints extends Omit<Endpoints, "gateway"> {
  /** In the order in which to use them. */
  gateway: readonly [string, ...string[]];
}

/** The public network. */
export const defaultEndpoints = {
  api: "https://api.lighthouse.storage",
  upload: "https://upload.lighthouse.storage",
  gateway: "https://gateway.lighthouse.storage",
  keyNodes: "https://encryption.lighthouse.storage",
} as const satisfies Endpoints;
