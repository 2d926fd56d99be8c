// @ts-check
// `prepare` of the root: builds once. npm runs it twice, because the root is a workspace, too: while it installs the link to
// that workspace, and at the end. It describes only what it installs by `npm_package_resolved`.
if (process.env["npm_package_resolved"] === undefined) await import("./build.mjs");
