/** Files as the network lists them. */
export function listRows(count: number) {
  return Array.from({ length: count }, (_, at) => ({
    publicKey: "0x0000000000000000000000000000000000000001",
    fileName: `letter ${at}.txt`,
    mimeType: "text/plain",
    txHash: "",
    status: "pinned",
    createdAt: 1_700_000_000_000 + at,
    fileSizeInBytes: "1000",
    cid: `bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7a${String(10_000 + at)}2`,
    id: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
    lastUpdate: 1_700_000_000_000 + at,
    encryption: false,
  }));
}
