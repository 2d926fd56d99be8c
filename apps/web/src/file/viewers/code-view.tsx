/** Source code with line numbers, which are neither read aloud nor copied. */
export function CodeView({ text }: { text: string }) {
  const count = text.replace(/\n$/, "").split("\n").length;
  return (
    <div className="code-view">
      <pre className="code-lines" aria-hidden="true">
        {Array.from({ length: count }, (_, at) => at + 1).join("\n")}
      </pre>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  );
}
