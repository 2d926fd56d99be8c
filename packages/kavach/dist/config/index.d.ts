export * from "keeplight/compat/kavach/config";
export { default } from "keeplight/compat/kavach/config";
