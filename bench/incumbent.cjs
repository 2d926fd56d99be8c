// @ts-check
// One operation of @lighthouse-web3/sdk, which is CommonJS with eval("require").
const { createHash } = require("node:crypto");
const { dirname } = require("node:path");
const kavach = require("@lighthouse-web3/kavach");
const lighthouse = require("@lighthouse-web3/sdk");
const { lighthouseConfig } = require("@lighthouse-web3/sdk/dist/lighthouse.config.js");
const { account } = require("./account.cjs");
const { createOperation, measureTask } = require("./measure.cjs");

const { apiKey, address, authToken } = account;

/**
 * Points the SDK, and its own copy of kavach, at the service.
 *
 * @param {string} service
 */
function setEndpoints(service) {
  Object.assign(lighthouseConfig, {
    lighthouseAPI: service,
    lighthouseNode: service,
    lighthouseGateway: service,
    lighthouseBLSNode: service,
  });
  const paths = [dirname(require.resolve("@lighthouse-web3/sdk"))];
  const { default: keyNodes } = require(require.resolve("@lighthouse-web3/kavach/dist/config", { paths }));
  Object.assign(keyNodes, { lighthouseBLSNode: service, lighthouseAuthNode: service });
}

measureTask({
  upload(task) {
    setEndpoints(task.service);
    return createOperation({
      run: () => lighthouse.upload(task.path, apiKey),
      check: ({ data }) => typeof data.Hash === "string",
    });
  },

  uploadEncrypted(task) {
    setEndpoints(task.service);
    return createOperation({
      run: () => lighthouse.uploadEncrypted(task.path, apiKey, address, authToken),
      check: ({ data }) => data.length === task.count,
    });
  },

  decrypt(task) {
    setEndpoints(task.service);
    return createOperation({
      run: () => lighthouse.decryptFile(task.cid, task.masterKey),
      check: (bytes) => createHash("sha256").update(new Uint8Array(bytes)).digest("hex") === task.sha256,
    });
  },

  recoverKey(task) {
    setEndpoints(task.service);
    return createOperation({
      run: () => lighthouse.fetchEncryptionKey(task.cid, address, authToken),
      check: ({ data }) => data.key === task.masterKey,
    });
  },

  generate: (task) =>
    createOperation({
      async run() {
        const generated = [];
        for (let at = 0; at < task.count; at++) generated.push(await kavach.generate());
        return generated;
      },
      async check(generated) {
        const { masterKey, keyShards } = generated[task.count - 1] ?? { masterKey: "", keyShards: [] };
        return (await kavach.recoverKey(keyShards.slice(2))).masterKey === masterKey;
      },
    }),
});
