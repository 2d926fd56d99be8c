import { constants } from "node:buffer";

/** Later versions of Node name a limit that no machine has the memory for. */
export const maxArrayBytes = Math.min(constants.MAX_LENGTH, 2 ** 32);
