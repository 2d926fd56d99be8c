export { default as adapter } from "axios/unsafe/adapters/xhr.js";
