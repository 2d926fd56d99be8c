/** Makes copies of the kit that are imported from now on share nothing with earlier ones, as if in another process. */
export function forgetShared(): void {
  Reflect.deleteProperty(globalThis, Symbol.for("keeplight.shared"));
}
