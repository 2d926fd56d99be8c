// What the stand-in for the SDK shares with this one: no interface for programs.
export { findAccessConditions } from "./access.ts";
export * from "./errors.ts";
export * from "./settings.ts";
export type { DynamicData, Unchecked } from "./types.ts";
