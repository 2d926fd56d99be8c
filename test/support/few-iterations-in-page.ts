// As `few-iterations.mjs`, for tests whose page decrypts what it has encrypted: Chromium derives keys one at a time.

const ITERATIONS = 250_000;
const few = Symbol.for("keeplight/test/few-iterations");
const { subtle } = crypto;

if (!(few in subtle)) {
  const deriveBits: SubtleCrypto["deriveBits"] = (settings, key, length) => {
    const isFormat = typeof settings === "object" && "iterations" in settings && settings.iterations === ITERATIONS;
    const own = isFormat ? { ...settings, iterations: ITERATIONS / 50 } : settings;
    return SubtleCrypto.prototype.deriveBits.call(subtle, own, key, length);
  };
  Object.assign(subtle, { [few]: true, deriveBits });
}
