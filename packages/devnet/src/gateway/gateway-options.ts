import { checkKeys, checkOneOf, checkOptional, isWhole } from "../check-options.ts";

/**
 * A way to read content. `whole`: files, by `GET /ipfs/` and `POST /api/v0/cat/`; `range`: parts of files, by the header
 * `Range`; `raw`: single blocks; `car`: archives of blocks.
 */
export type GatewayFormat = "whole" | "range" | "raw" | "car";

/** What one gateway offers. */
export interface GatewayOptions {
  /** What it serves besides files. @default all of them */
  formats?: readonly GatewayFormat[];
  /**
   * The response to requests for blocks or archives that it does not offer: a status, or `file` for the file, as from a
   * gateway that does not know the parameter.
   *
   * @default 406
   */
  unsupported?: "file" | 400 | 406;
}

const optionNames = Object.keys({ formats: true, unsupported: true } satisfies Record<keyof GatewayOptions, true>);

const gatewayFormats: readonly GatewayFormat[] = ["whole", "range", "raw", "car"];

/** Maximum gateways of one devnet. */
const MAX_GATEWAYS = 16;

/** Fills in the defaults. */
export function resolveGateways(gateways: number | readonly GatewayOptions[] = 1): Required<GatewayOptions>[] {
  const list = typeof gateways === "number" ? Array.from({ length: gateways }, () => ({})) : gateways;
  return list.map(({ formats = gatewayFormats, unsupported = 406 }: GatewayOptions) => ({ formats, unsupported }));
}

/** @throws DevnetError `INVALID_OPTION` */
export function checkGateways(gateways: unknown): void {
  const list = Array.isArray(gateways) ? gateways : [];
  const isCount = isWhole(gateways, 1, MAX_GATEWAYS) || isWhole(list.length, 1, MAX_GATEWAYS);
  checkOptional(
    "gateways",
    gateways,
    isCount,
    `a whole number from 1 to ${MAX_GATEWAYS}, or an array of as many objects`,
  );
  for (const [index, gateway] of list.entries()) {
    const path = `gateways[${index}]`;
    checkKeys(path, gateway, optionNames);
    const { formats, unsupported } = gateway as GatewayOptions;
    checkOptional(`${path}.formats`, formats, Array.isArray(formats) && formats.length > 0, "a non-empty array");
    for (const [at, format] of (formats ?? []).entries()) checkOneOf(`${path}.formats[${at}]`, format, gatewayFormats);
    const isKnown = unsupported === "file" || unsupported === 400 || unsupported === 406;
    checkOptional(`${path}.unsupported`, unsupported, isKnown, "file, 400 or 406");
  }
}
