import type { OptionSchema } from "../../base/operation.ts";
import { type JournalOptions, journalOptionNames, journalSchema } from "../../journal/handle.ts";
import { type OwnerOptions, ownerOptionNames, ownerSchema } from "../auth/owner.ts";
import { type KeyNodeOptions, keyNodeOptionNames, keyNodeSchema } from "./node-client.ts";

/** Options of calls that an owner makes to all five key nodes. */
export type OwnerCallOptions = KeyNodeOptions & OwnerOptions;

/** Checks {@link OwnerCallOptions}. */
export const ownerCallSchema = { ...keyNodeSchema, ...ownerSchema } satisfies OptionSchema<OwnerCallOptions>;

export const ownerCallNames = [keyNodeOptionNames, ownerOptionNames] as const;

/** Options of calls by which an owner changes who may open a file. */
export type OwnerChangeOptions = OwnerCallOptions & JournalOptions;

/** Checks {@link OwnerChangeOptions}. */
export const ownerChangeSchema = { ...ownerCallSchema, ...journalSchema } satisfies OptionSchema<OwnerChangeOptions>;

export const ownerChangeNames = [ownerCallNames, journalOptionNames] as const;
