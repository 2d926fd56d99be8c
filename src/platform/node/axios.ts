export { default as axios } from "axios";
