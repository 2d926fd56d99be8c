export type * from "keeplight/compat/kavach";
