/** Loads what only paid uploads need. */
export const loadPayPerUpload = () => import("./lazy.ts");
