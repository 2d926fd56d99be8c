// axios exports these files without declarations, and promises nothing of them between versions; its
// version is pinned, and what is published carries it along.
declare module "axios/unsafe/adapters/*" {
  const adapter: import("./adapter.ts").Adapter;
  // biome-ignore lint/style/noDefaultExport: that is what axios exports
  export default adapter;
}
