/** The functions of the package, loaded when a command needs them. */
export type Package = typeof import("keeplight");
