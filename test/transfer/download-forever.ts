import { decrypt } from "../../src/index.ts";
import { opaqueCid } from "../support/fixtures.ts";

// Decrypts, in its own process, from a gateway that never ends the file; the test kills it.
const [gateway, key, to] = process.argv.slice(2);
if (!gateway || !key || !to) throw new Error("usage: download-forever.ts <gateway> <key> <to>");
await decrypt(opaqueCid, { verifyCid: false, key, endpoints: { gateway }, to });
