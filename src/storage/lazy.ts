// What journals and encrypted folders load later, in one module: both continue uploads. As two modules, bundlers would
// put what these share into many small chunks, by which a page with all calls would load 8 % more at once.
export { changeFolder, readFolder } from "./folders/stored-folder.ts";
export { uploadFolder } from "./folders/upload-folder.ts";
export { openStored } from "./resume/stored-journal.ts";
