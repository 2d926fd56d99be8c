export { createKit, type Kit, type KitDefaults, type KitOptions } from "./kit.ts";
