// @ts-check
/** Whoever both clients act as. The service believes anybody. */
const account = { apiKey: "bench", address: `0x${"5e".repeat(20)}`, authToken: "jwt:bench" };

module.exports = { account };
