/** What holds however the key nodes are called is tested for both. */
export const pacings = ["sequential", "parallel"] as const;
