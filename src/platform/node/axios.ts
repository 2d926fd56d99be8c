import { Axios } from "axios";

/** Has no defaults, all of which axios would copy for each request. */
export const client = new Axios();
