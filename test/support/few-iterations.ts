import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

// PBKDF2 takes most of the processor time of tests that encrypt files: 74 ms each. What these tests encrypt, the same
// process decrypts, or a child process that `bundleScript` made, which loads this file, too. So a derivation takes a fiftieth
// of the format's iterations here. Vectors, other clients, commands and pages require the real number: their tests do not load
// this file.

/** The format's. Not imported: the SDK would take Node's function before it is replaced. */
const ITERATIONS = 250_000;
/** Marks the function that takes fewer, for every copy of this file. */
const few = Symbol.for("keeplight/test/few-iterations");
const { pbkdf2 } = crypto;

if (!(few in pbkdf2)) {
  const derive: typeof pbkdf2 = (password, salt, iterations, ...rest) =>
    pbkdf2(password, salt, iterations === ITERATIONS ? iterations / 50 : iterations, ...rest);
  crypto.pbkdf2 = Object.assign(derive, { [few]: true });
  syncBuiltinESMExports();
}
