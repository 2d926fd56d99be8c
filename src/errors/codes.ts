/** Stable names of everything that can go wrong: switch on these, not on messages. */
export type ErrorCode =
  // input, refused before anything is sent
  | "INVALID_CID"
  | "INVALID_ADDRESS"
  | "INVALID_KEY"
  | "INVALID_SHARDS"
  | "INVALID_OPTION"
  | "INVALID_SOURCE"
  | "INVALID_CONDITION"
  | "DUPLICATE_NAME"
  | "MISSING_API_KEY"
  | "MISSING_OWNER"
  | "NOT_A_JWT"
  | "FILE_TOO_LARGE"
  // the source changed or could not be read while it was sent
  | "SOURCE_CHANGED"
  | "SOURCE_UNREADABLE"
  // transport
  | "ABORTED"
  | "TIMEOUT"
  | "NETWORK"
  | "HTTP_STATUS"
  | "INVALID_JSON"
  | "INVALID_ANSWER"
  | "ANSWER_TOO_LARGE"
  | "PROOF_NOT_READY"
  | "TICKER_FAILED"
  // keys
  | "INVALID_SIGNATURE"
  | "SIGNATURE_REJECTED"
  | "CID_NOT_FOUND"
  | "NODE_REFUSED"
  | "NODES_FAILED"
  | "CANNOT_RECOVER_KEY"
  | "CANNOT_DECRYPT"
  | "SHARDS_NOT_SAVED"
  | "NODES_HALF_DONE"
  // this machine
  | "CANNOT_WRITE"
  | "UNSUPPORTED";
