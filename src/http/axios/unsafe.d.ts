// axios exports these files without declarations, and promises nothing of them between versions; its
// version is pinned, and what is published carries it along.
declare module "axios/unsafe/adapters/*" {
  /**
   * What an adapter of axios takes and gives, as far as the kit uses it. The kit calls the adapters
   * themselves: axios's front (instances, interceptors, transformations) would double what a page loads.
   */
  type Adapter = (config: {
    method: string;
    url: string;
    /** One that is `false` is not sent. */
    headers: Readonly<Record<string, string | false>>;
    data?: unknown;
    signal: AbortSignal;
    transport?: unknown;
    responseType: "text" | "stream";
    validateStatus: () => boolean;
    maxRedirects: number;
    maxBodyLength: number;
    maxContentLength: number;
    /** Only Node's adapter knows them. */
    httpAgent?: unknown;
    httpsAgent?: unknown;
    decompress?: boolean;
    onUploadProgress?: (progress: { loaded: number; total?: number | undefined }) => void;
    onDownloadProgress?: (progress: { loaded: number }) => void;
  }) => Promise<{
    status: number;
    headers: Readonly<Record<string, unknown>>;
    data: unknown;
    request: unknown;
  }>;
  const adapter: Adapter;
  // biome-ignore lint/style/noDefaultExport: that is what axios exports
  export default adapter;
}
