/** The kinds of owner calls in a journal. */
export type CallKind = "save" | "share" | "revoke" | "conditions" | "transfer" | "repair" | "delegate";

const callKinds: readonly string[] = [
  "save",
  "share",
  "revoke",
  "conditions",
  "transfer",
  "repair",
  "delegate",
] satisfies CallKind[];

/** What a journal keeps of an owner call. */
export interface JournaledCall {
  /** Address. */
  owner: string;
  /** `undefined` for all files of the owner. */
  cid?: string | undefined;
  /** The options that say what to do, and `endpoints`; never one that authenticates. */
  parameters: object;
  /** The nodes that have done it. */
  nodesDone: readonly number[];
  /** Whether a later call has left less to do, so that the error of this one can no longer be resumed. */
  isChanged?: boolean;
}

/** Whether operations of this kind are owner calls. */
export function isCallKind(kind: string): kind is CallKind {
  return callKinds.includes(kind);
}

/** An owner call, as a journal keeps it. */
export interface KeptCall {
  kind: CallKind;
  call: JournaledCall;
}
