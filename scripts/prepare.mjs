// @ts-check
// Runs after the dependencies of this checkout are installed, so that its examples find a built package, and before the
// package is packed. Programs run without the declaration files, which take most of a build's time.
if (["ci", "install"].includes(process.env["npm_command"] ?? "")) process.argv.push("--no-types");
await import("./build.mjs");
