// Where a bulk operation is seen: not in `paths`, which come with the first download.
import { paths } from "../routing/paths";

export const operationPath = (id: number) => `${paths.operations}?operation=${id}`;
