/** What Chromium allocates for one array at most, in bytes; other browsers allow more. */
export const maxArrayBytes = 2 ** 31 - 1;
