export { default as adapter } from "axios/unsafe/adapters/http.js";
