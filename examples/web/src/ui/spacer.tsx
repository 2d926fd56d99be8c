/** Takes the place of the rows of a table that are not rendered; `height` is in pixels. */
export function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height === 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
    <tr className="table-spacer" aria-hidden="true" style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}
