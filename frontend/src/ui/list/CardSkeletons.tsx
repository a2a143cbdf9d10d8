// Where the cards of a list will be, on a small screen.
import { Skeleton } from "@mantine/core";

export const CardSkeletons = ({ count }: { count: number }) => (
  <div className="cards" aria-busy="true">
    {Array.from({ length: Math.min(count, 6) }, (_, index) => index).map((index) => (
      <Skeleton key={index} h={128} radius="md" />
    ))}
  </div>
);
