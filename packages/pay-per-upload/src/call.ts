import type { exchange, resolveCall } from "keeplight/parts";

/** Options that every call takes, with their defaults. */
export type Call = ReturnType<typeof resolveCall>;

/** A whole response of a service. */
export type TextResponse = Awaited<ReturnType<typeof exchange>>;

/** Time limit of a request that transfers no file, in milliseconds. */
export const SHORT_TIMEOUT_MS = 8_000;
