export * from "keeplight/compat/lighthouse";
export { default } from "keeplight/compat/lighthouse";
