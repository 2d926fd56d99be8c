import { createKit, explainConditions, payWithToken } from "keeplight";

// Somebody outside of the page sets `given`, and does its jobs: see ../../in-chromium.ts.
const { endpoints, apiKey, alice, bob } = globalThis.given ?? {};
const signerOf = (address) => ({
  getAddress: () => address,
  signMessage: (message) => globalThis.signFor(address, message),
});

export const options = { endpoints, apiKey, signer: signerOf(alice), pauseMs: 0 };
const asAlice = createKit(options);
const asBob = createKit({ ...options, signer: signerOf(bob) });

/** Whether a friend gets back what was encrypted and shared. */
export async function encryptShareDecrypt() {
  const letter = crypto.getRandomValues(new Uint8Array(50_001));
  const [stored] = await asAlice.uploadEncrypted(new File([letter], "letter.bin"));
  await asAlice.kavachShare(stored.Hash, { shareTo: bob });
  const opened = await asBob.decrypt(stored.Hash);
  return opened.length === letter.length && opened.every((byte, at) => byte === letter[at]);
}

/** A rule in words, and what the key nodes remember of it. */
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
  return { words: explainConditions([condition], "[1]"), kept: conditions.map(({ method }) => method) };
}

/** Why a payment ended: whoever is asked for the account to pay from says no. */
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
