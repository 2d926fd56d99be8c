/** How a command may end. */
export const EXIT = { done: 0, failed: 1, resumable: 2, interrupted: 130 } as const;
