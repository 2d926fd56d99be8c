/** Loads what most calls do not need. The only place that does: bundlers surround each dynamic import with code. */
export const loadOnDemand = () => import("./on-demand.ts");
