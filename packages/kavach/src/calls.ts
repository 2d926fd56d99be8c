export {
  accessControl,
  getAccessCondition,
  revokeAccess,
  shareToAddress,
  transferOwnership,
} from "./access.ts";
export { getAuthMessage, getJWT } from "./auth.ts";
export { generate, recoverKey, shardKey } from "./keys.ts";
export { recoverShards, saveShards } from "./shards.ts";
