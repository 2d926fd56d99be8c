// What works on encrypted folders, which most pages have none of. One module to load: of several, bundlers put what they
// share into many small chunks, by which a page with all calls would load 9 % more.
export { revokeFolder, shareFolder } from "./change-folder.ts";
export { readFolder } from "./read-folder.ts";
export { uploadFolder } from "./upload-folder.ts";
