/** Loads what most calls do not need. Few modules are loaded like this: bundlers surround each dynamic import with code. */
export const loadOnDemand = () => import("./on-demand.ts");
