// One module to load for every check of content ids: each further target of a dynamic import makes bundlers split what
// a page loads at once into more chunks, which compress worse.

export { createFileMatcher } from "../cid/match.ts";
export { isStoredAs } from "./upload/read-back.ts";
export { createVerifiedUpload } from "./upload/verify-upload.ts";
