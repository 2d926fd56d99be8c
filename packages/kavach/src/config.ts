// The module `dist/config` of the package that this one replaces.
export { kavachSettings as default, kavachSettings as defaultConfig } from "./settings.ts";
