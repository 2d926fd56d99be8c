/** How many key nodes hold the shards of a file's key. */
export const KEY_NODE_COUNT = 5;

/** How many shards recover a file's key. */
export const DEFAULT_THRESHOLD = 3;

/** How often one request to a key node is sent if the connection fails. */
export const KEY_NODE_ATTEMPTS = 3;

/** Wait between two attempts of one request to a key node, in milliseconds. */
export const KEY_NODE_RETRY_MS = 1_000;

/** Pause between calls to two key nodes, in milliseconds. */
export const KEY_NODE_PAUSE_MS = 1_000;

/** Concurrent requests to the key nodes, over all files of one call. */
export const KEY_NODE_CONCURRENCY = 64;

/** Time limit of a short request, in milliseconds. */
export const SHORT_TIMEOUT_MS = 8_000;

/** Time limit of an upload or a download, in milliseconds (two hours). */
export const TRANSFER_TIMEOUT_MS = 7_200_000;

/** How long the other side may be silent while a file is transferred, in milliseconds. */
export const IDLE_TIMEOUT_MS = 120_000;

/**
 * How long a call waits for another one that changes how a journal is opened, in milliseconds: longer than it takes to find
 * out that the other one's machine is dead.
 */
export const JOURNAL_WAIT_MS = 90_000;

/** How often a request is sent that a service refuses with a `Retry-After`. */
export const MAX_ATTEMPTS = 3;

/** Longest `Retry-After` that is waited for, in milliseconds; a longer one is reported at once. */
export const MAX_RETRY_AFTER_MS = 5_000;

/** The most that is added at random to the first `Retry-After`, in milliseconds; twice as much to the second. */
export const RETRY_BACKOFF_MS = 300;

/** Age beyond which a coin's price is not used, in milliseconds. */
export const MAX_TICKER_AGE_MS = 300_000;

/** Longest delay of a timer, in milliseconds (24.8 days); it fires at once for anything longer. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Largest response that is read unless its call expects more, in bytes; a key's shard has 200. */
export const SHORT_RESPONSE_BYTES = 64 * 1024;

/** Largest response that is a list, in bytes; a listing page of 2,000 files is about 1 MiB. */
export const LIST_RESPONSE_BYTES = 16 * 1024 * 1024;

/** How much larger the response to an upload may be for each of its files, in bytes. */
export const STORED_FILE_BYTES = 1024;

/** Most rows that a listing yields unless an option changes it. */
export const MAX_ROWS = 100_000;

/** Content id version to request unless an option changes it. */
export const DEFAULT_CID_VERSION = 1;

/** Bytes read from a file or handed to a cipher at once. */
export const CHUNK_BYTES = 256 * 1024;
