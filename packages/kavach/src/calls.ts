export {
  accessControl,
  getAccessCondition,
  revokeAccess,
  shareToAddress,
  transferOwnership,
} from "./access.ts";
export { getAuthMessage, getJWT } from "./auth.ts";
export { generate, recoverKey, recoverShards, saveShards, shardKey } from "./keys.ts";
