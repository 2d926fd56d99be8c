// Access conditions as they are checked, and the chains that they, and payments, are about.

export type { CheckedByChainType } from "../keys/conditions/chains.ts";
export { type CheckedAccess, checkConditions } from "../keys/conditions/check-conditions.ts";
export { connectToNodes, getReceipt } from "../network/ethereum/eth-rpc.ts";
export { createHttpRpc, isRevert, type Rpc } from "../network/ethereum/json-rpc.ts";
