// Requests to the API, and uploads with further headers or through an endpoint.

export { requestApi } from "../network/http/api-client.ts";
export { refusalStatus } from "../storage/upload/refusal-codes.ts";
export { relay } from "../storage/upload/send.ts";
export { uploadWithHeaders } from "../storage/upload/upload.ts";
export { uploadCarWithHeaders } from "../storage/upload/upload-car.ts";
