// @ts-check
/** The account of both clients. The service accepts any credentials. */
const account = { apiKey: "bench", address: `0x${"5e".repeat(20)}`, authToken: "jwt:bench" };

module.exports = { account };
