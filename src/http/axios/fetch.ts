export { default as adapter } from "axios/unsafe/adapters/fetch.js";
