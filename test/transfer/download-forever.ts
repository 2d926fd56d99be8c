import { decrypt } from "../../src/index.ts";

// Decrypts, in its own process, from a gateway that never ends the file; the test kills it.
const [gateway, key, to] = process.argv.slice(2);
if (!gateway || !key || !to) throw new Error("usage: download-forever.ts <gateway> <key> <to>");
await decrypt("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e", { key, endpoints: { gateway }, to });
