export * from "keeplight/compat/kavach";
export { default } from "keeplight/compat/kavach";
