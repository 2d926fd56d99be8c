/** Loads what works on encrypted folders: most pages have none. */
export const loadFolders = () => import("./on-demand.ts");
