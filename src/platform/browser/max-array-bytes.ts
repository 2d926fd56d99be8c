/** Maximum size of one array in Chromium, in bytes; other browsers allow more. */
export const maxArrayBytes = 2 ** 31 - 1;
