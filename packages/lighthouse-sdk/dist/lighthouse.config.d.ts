export * from "keeplight/compat/lighthouse/config";
