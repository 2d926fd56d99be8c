// @ts-check
// npm runs it after installing the dependencies, so that the examples find a built package, and before packing. An
// install skips the declaration files, which take most of the build's time.
if (["ci", "install"].includes(process.env["npm_command"] ?? "")) process.argv.push("--no-types");
await import("./build.mjs");
