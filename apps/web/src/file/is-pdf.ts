/** Where viewers look for the signature of a PDF. */
const HEAD_BYTES = 1024;

/** Whether the file at a URL of this page starts like a PDF: browsers do not report that they cannot show one. */
export async function isPdf(url: string, signal: AbortSignal): Promise<boolean> {
  const { body } = await fetch(url, { signal });
  const reader = body?.getReader();
  let head = "";
  while (reader && head.length < HEAD_BYTES) {
    const { value, done } = await reader.read();
    if (done) break;
    head += new TextDecoder("latin1").decode(value.subarray(0, HEAD_BYTES - head.length));
  }
  await reader?.cancel();
  return head.includes("%PDF-");
}
