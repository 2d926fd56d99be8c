/**
 * Takes the place of the rows of a table that are not rendered; `height` is in pixels. Its one cell spans one column:
 * more than there are in a narrow window would make columns without a heading.
 */
export function Spacer({ height }: { height: number }) {
  if (height === 0) return null;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
    <tr className="table-spacer" aria-hidden="true" style={{ height }}>
      <td />
    </tr>
  );
}
