import { newId } from "../../api/newId";
import type { Link } from "./contents";

/** A link of a copy is another one, added when the copy is. */
export function newLink({ createdDate: _created, updatedDate: _updated, ...link }: Link): Link {
  return { ...link, id: newId() };
}
