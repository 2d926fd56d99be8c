// A process that has the built package in both formats: `import` and `require`. Prints what they have in common.
import { createRequire } from "node:module";
import { inspect } from "node:util";
import { Wallet } from "ethers";
import * as modules from "keeplight";

const require = createRequire(import.meta.url);
/** @type {typeof modules} */
const commonjs = require("keeplight");
/** @type {typeof import("keeplight/parts")} */
const commonjsParts = require("keeplight/parts");

const { endpoints, network, privateKey, folder, cid } = JSON.parse(process.argv[2] ?? "");
const formats = [modules, commonjs];

/** @param {Promise<unknown>} call */
const failureOf = (call) => call.then(() => undefined).catch((error) => error);

const errors = await Promise.all(formats.map(({ upload }) => failureOf(upload("file.txt", {}))));

const journal = await commonjs.openJournal({ folder });
const share = { address: `0x${"a".repeat(40)}`, authToken: "jwt:owner", shareTo: `0x${"b".repeat(40)}` };
const nowhere = { endpoints: { keyNodes: "http://127.0.0.1:1" }, attempts: 1, pauseMs: 0 };
const unfinished = await failureOf(modules.kavachShare(cid, { ...share, ...nowhere, journal }));

const { keyShards } = await modules.kavachGenerate();
const saved = await Promise.all(
  formats.map(({ kavachSaveShards }) => {
    const options = { signer: new Wallet(privateKey), endpoints, pauseMs: 0, keyShards };
    return kavachSaveShards(cid, options);
  }),
);

const order = { network, token: "native", amount: 1000n, privateKey, orderId: "one order", pollMs: 10 };
const payments = await Promise.all(formats.map(({ payWithToken }) => payWithToken(order)));

console.log(
  JSON.stringify({
    areTwo: modules.KeeplightError !== commonjs.KeeplightError,
    isOneClass: commonjsParts.invalidOption("name", "problem") instanceof commonjs.KeeplightError,
    recognised: errors.flatMap((error) => formats.map(({ isKeeplightError }) => isKeeplightError(error))),
    printed: [...errors, new commonjs.UnfinishedError("ABORTED", "", { resume: async () => {} })].map(
      (error) => inspect(error).split(/[:\n]/)[0],
    ),
    entries: (await journal.list()).map(({ id, kind }) => ({ id, kind })),
    unfinished: { isUnfinished: commonjs.isUnfinished(unfinished), id: unfinished?.operationId },
    saved,
    hashes: payments.map(({ hash }) => hash),
  }),
);
