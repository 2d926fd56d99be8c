// One module to load for reading files, or parts of them, and for what few uploads need: each further target of a dynamic
// import makes bundlers split what a page loads at once into more chunks, which compress worse.

export { listVerifiedFolder } from "../network/blocks/list-entries.ts";
export { openEncryptedBlocks, openVerifiedFile } from "../network/blocks/open-file.ts";
export { openTransfer } from "../network/blocks/transfer.ts";
export { assertRoom } from "./account/room.ts";
export { checkUnknownCids, isStoredAs } from "./upload/check-unknown-cids.ts";
export { routeVia } from "./upload/route-via.ts";
