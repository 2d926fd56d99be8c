// @ts-check
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

// Deriving keys takes most of the processor time of tests that encrypt files: 74 ms each by PBKDF2, and 400 ms by scrypt for a
// login of the command line. What these tests encrypt, the same process decrypts, or a child process that loads this file, too:
// one that `bundleScript` made, or a command. So PBKDF2 takes a fiftieth of the format's iterations here, and scrypt a 32nd of
// the login's cost. Vectors, other clients and pages require the real numbers: their tests do not load this file.

/** Those of the format and of a login. Not imported: the modules would take Node's functions before they are replaced. */
const [ITERATIONS, COST] = [250_000, 2 ** 17];
/** Marks the function that takes fewer, for every copy of this file. */
const few = Symbol.for("keeplight/test/few-iterations");
const { pbkdf2, scrypt } = crypto;

if (!(few in pbkdf2)) {
  /** @type {typeof pbkdf2} */
  const derive = (password, salt, iterations, ...rest) =>
    pbkdf2(password, salt, iterations === ITERATIONS ? iterations / 50 : iterations, ...rest);
  crypto.pbkdf2 = Object.assign(derive, { [few]: true });
  const deriveLogin = (/** @type {any[]} */ ...[password, salt, length, options, callback]) =>
    scrypt(password, salt, length, options?.N === COST ? { ...options, N: COST / 32 } : options, callback);
  crypto.scrypt = /** @type {any} */ (deriveLogin);
  syncBuiltinESMExports();
}
