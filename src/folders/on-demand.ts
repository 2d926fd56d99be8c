export { uploadFolder } from "../transfer/upload/upload-folder.ts";
export { changeFolder } from "./change-folder.ts";
export { readFolder } from "./read-folder.ts";
