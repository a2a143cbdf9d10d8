// Rows of episodes or seasons that have not arrived, in their final shape. That they are on their way is said by the
// count above them.
import { Skeleton } from "@mantine/core";

export function SkeletonRows({ height }: { height: number }) {
  return (
    <div className="episodes" aria-hidden="true">
      {["a", "b", "c", "d", "e", "f"].map((row) => (
        <Skeleton key={row} h={height} radius={0} mb={1} />
      ))}
    </div>
  );
}
