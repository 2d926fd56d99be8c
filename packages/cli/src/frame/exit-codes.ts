/** How a command may end. */
export const EXIT = { done: 0, failed: 1, resumable: 2, interrupted: 130 } as const;

/** How a command ends that a signal has interrupted: 128 and the number of the signal, as shells report it. */
export const EXIT_BY_SIGNAL = { SIGINT: EXIT.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;
