// The skeleton of a page that is being loaded: heading and tools over lines, or over the sections of a form.
import { Skeleton } from "@mantine/core";
import { useTranslation } from "react-i18next";

export function PageSkeleton({ isForm = false }: { isForm?: boolean }) {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t("common.loading")}>
      {isForm ? (
        <>
          <Skeleton h={16} w="8rem" mb={8} />
          <Skeleton h={30} w="20rem" maw="100%" mb="md" />
          <div className="form-columns">
            <Skeleton h={480} />
            <Skeleton h={240} />
          </div>
        </>
      ) : (
        <>
          <Skeleton h={30} w="14rem" mt={3} mb={19} />
          <Skeleton h={36} w="26rem" maw="100%" mb="sm" />
          <Skeleton h="max(24rem, calc(100dvh - 15rem))" />
        </>
      )}
    </div>
  );
}
