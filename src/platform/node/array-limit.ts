import { constants } from "node:buffer";

/** The most bytes that are kept in memory. Later versions of Node have a limit beyond the memory of any machine. */
export const maxArrayBytes = Math.min(constants.MAX_LENGTH, 2 ** 32);
