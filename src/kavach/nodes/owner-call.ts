import { type JournalOptions, journalOptionNames } from "../../journal/handle.ts";
import { type OwnerOptions, ownerOptionNames } from "../auth/owner.ts";
import { type KeyNodeOptions, keyNodeOptionNames } from "./node-client.ts";

/** Options of calls that an owner makes to all five key nodes. */
export type OwnerCallOptions = KeyNodeOptions & OwnerOptions;

export const ownerCallNames = [keyNodeOptionNames, ownerOptionNames] as const;

/** Options of calls by which an owner changes who may open a file. */
export type OwnerChangeOptions = OwnerCallOptions & JournalOptions;

export const ownerChangeNames = [ownerCallNames, journalOptionNames] as const;
