import { explainConditions } from "@keeplight/conditions";
import { createKit, payWithToken } from "keeplight";

// The test sets `testOptions` and runs the jobs: see ../../in-chromium.ts.
const { endpoints, apiKey, alice, bob } = globalThis.testOptions ?? {};
const createSigner = (address) => ({
  getAddress: () => address,
  signMessage: (message) => globalThis.signFor(address, message),
});

export const options = { endpoints, apiKey, signer: createSigner(alice), pauseMs: 0 };
const asAlice = createKit(options);
const asBob = createKit({ ...options, signer: createSigner(bob) });

/** Returns whether a friend decrypts the shared file unchanged. */
export async function encryptShareDecrypt() {
  const letter = crypto.getRandomValues(new Uint8Array(50_001));
  const [stored] = await asAlice.uploadEncrypted(new File([letter], "letter.bin"));
  await asAlice.kavachShare(stored.Hash, { shareTo: bob });
  const opened = await asBob.decrypt(stored.Hash);
  return opened.length === letter.length && opened.every((byte, at) => byte === letter[at]);
}

/** Returns a description of a condition, and the condition's method as the key nodes return it. */
export async function setConditions() {
  const condition = {
    id: 1,
    chain: "Ethereum",
    standardContractType: "",
    method: "getBlockNumber",
    returnValueTest: { comparator: ">", value: "20000000" },
  };
  const [stored] = await asAlice.uploadEncrypted(new Blob(["for members"]), {
    conditions: [condition],
    aggregator: "[1]",
  });
  const { conditions } = await asAlice.kavachGetAccessConditions(stored.Hash);
  return { description: explainConditions([condition], "[1]"), saved: conditions.map(({ method }) => method) };
}

/** Returns the error code of a payment whose wallet rejects the request for its account. */
export async function pay() {
  const refuse = async () => {
    throw Object.assign(new Error("No, thanks"), { code: 4001 });
  };
  const paying = payWithToken({ network: "polygon", token: "usdc", amount: 1n, signer: { request: refuse } });
  return paying.then(
    () => "paid",
    ({ code }) => code,
  );
}
