// Skeletons of rows of episodes or seasons, in their final size. The loading text is that of the
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
