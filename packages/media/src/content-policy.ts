/**
 * Returns the `Content-Security-Policy` of a file of this type: nothing of the file runs in the page's origin.
 *
 * Safari shows a PDF by a script in the file's own frame, which a sandbox stops. The scripts of a PDF run in its viewer only.
 */
export function policyOf(type: string | null): string {
  return type === "application/pdf" ? "default-src 'none'; style-src 'unsafe-inline'" : "sandbox";
}
