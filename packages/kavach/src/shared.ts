// What the stand-in for the SDK shares with this one: no interface for programs.
export { findAccessConditions } from "./access.ts";
export * from "./shared/errors.ts";
export * from "./shared/settings.ts";
export type { Unchecked } from "./shared/unchecked.ts";
export type { DynamicData } from "./types.ts";
