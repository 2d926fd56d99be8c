const bytes = [1, 2, 3, 4, 5, 6, 7, 8, 16, 32].map((size) => `bytes${size}`);
const bits = [8, 16, 24, 32, 40, 48, 64, 128, 192, 256];
const single = ["address", "bool", ...bytes, ...bits.flatMap((size) => [`uint${size}`, `int${size}`])];

/** The types that the inputs and the output of a `Custom` condition may have: these and arrays of them. */
export const solidityTypes: ReadonlySet<unknown> = new Set([...single, ...single.map((type) => `${type}[]`)]);
