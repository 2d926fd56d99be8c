// The fonts of the reader's system: nothing but the pages themselves is loaded.
export { default } from "vitepress/theme-without-fonts";
