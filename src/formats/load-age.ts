/** Loads what encrypts and decrypts age files: 60 kB that few pages need. */
export const loadAge = () => import("./age.ts");
