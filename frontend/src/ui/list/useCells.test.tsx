// Where the keys of an edited cell lead when rows leave the list while it is saved.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Column } from "./columns";
import { type EditorProps, useCells } from "./useCells";

interface Row {
  id: number;
}

const column: Column<Row> = { key: "year", edits: "year", label: "Año", render: ({ id }) => id };
const rowsOf = (...ids: number[]) => ids.map((id) => ({ id }));

/** The `onDone` of the editor that was rendered last: what a save under way calls when it is done. */
let onDone: EditorProps<Row>["onDone"];

function Table({ rows }: { rows: Row[] }) {
  const cells = useCells(rows, "", (props: EditorProps<Row>) => {
    onDone = props.onDone;
    return <input aria-label={`Año de ${props.row.id}`} />;
  });
  return (
    <table onKeyDown={cells.onKeyDown}>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td {...cells.propsOf(row, column)} data-testid={row.id}>
              {cells.editorOf(row, column) ?? row.id}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function edit(row: number) {
  const { rerender } = render(<Table rows={rowsOf(1, 2, 3, 4)} />);
  fireEvent.doubleClick(screen.getByTestId(row));
  screen.getByLabelText(`Año de ${row}`).focus();
  return {
    /** The list without some rows, before the value is saved. */
    saveIn: (rows: Row[], by: -1 | 0 | 1) => {
      const save = onDone;
      rerender(<Table rows={rows} />);
      act(() => save(by));
    },
  };
}

const edited = () => screen.queryAllByRole("textbox").map((input) => input.getAttribute("aria-label"));

test.each([
  ["the row that was saved", rowsOf(1, 3, 4), 1, "Año de 3"],
  ["the next row, too", rowsOf(1, 4), 1, "Año de 4"],
  ["the row before, too", rowsOf(1, 4), -1, "Año de 1"],
] as const)(
  "the next cell that is still there is edited where the list has lost %s",
  (_what, rows, by, name) => {
    edit(by > 0 ? 2 : 3).saveIn([...rows], by);
    expect(edited()).toEqual([name]);
  },
);

test.each([
  ["there is no further row", rowsOf(1), 1, 1],
  ["the value was saved by Enter", rowsOf(1, 3, 4), 0, 3],
] as const)(
  "the nearest cell takes the focus where the row has left the list and %s",
  async (_what, rows, by, id) => {
    edit(2).saveIn([...rows], by);
    expect(edited()).toEqual([]);
    await waitFor(() => expect(screen.getByTestId(id)).toHaveFocus());
  },
);
