/** Every call of the network, with the placeholders `{n}` (number of a key node), `{cid}` and `{address}`. */
export const calls = [
  // The five key nodes.
  "POST /api/fileAccessConditions/{n}",
  "PUT /api/fileAccessConditions/{n}",
  "GET /api/fileAccessConditions/get/{cid}",
  "GET /api/message/{address}",
  "POST /api/message/get-jwt",
  "PUT /api/message/get-jwt",
  "POST /api/retrieveSharedKey/{n}",
  "POST /api/setSharedKey/{n}",
  "PUT /api/setSharedKey/{n}",
  "DELETE /api/setSharedKey/{n}",
  "POST /api/transferOwnership/{n}",
  "POST /api/setAllFilesAccess/{n}",
  // The API host, without a bearer …
  "GET /api/auth/get_auth_message",
  "GET /api/auth/get_message",
  "POST /api/auth/create_api_key",
  "GET /api/lighthouse/deal_status",
  "GET /api/lighthouse/file_info",
  "GET /api/lighthouse/get_ticker",
  "GET /api/lighthouse/get_proof",
  // … and with one.
  "GET /api/user/user_data_usage",
  "GET /api/user/files_uploaded",
  "DELETE /api/user/delete_file",
  "POST /api/lighthouse/pin",
  "GET /api/ipns/generate_key",
  "GET /api/ipns/get_ipns_records",
  "GET /api/ipns/publish_record",
  "DELETE /api/ipns/remove_key",
  // The upload node.
  "POST /api/v0/add",
  "POST /api/v0/dag/import",
  // The gateway.
  "POST /api/v0/cat/{cid}",
] as const;

/** One of {@link calls}. */
export type Call = (typeof calls)[number];
