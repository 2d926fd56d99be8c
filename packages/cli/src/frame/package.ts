/** The functions of keeplight, loaded when a command needs them. */
export type Package = typeof import("keeplight");
