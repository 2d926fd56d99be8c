// One module to load for reading files and parts of them: each further target of a dynamic import makes bundlers split
// what a page loads at once into more chunks, which compress worse.

export { openEncryptedBlocks } from "./open-encrypted-blocks.ts";
export { openVerifiedFile } from "./open-file.ts";
export { openTransfer } from "./transfer.ts";
