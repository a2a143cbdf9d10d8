// The skeleton of a form that is being loaded: its heading, and its sections with their fields.
import { Skeleton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import "./forms.css";

/** The columns that each field takes, of twelve. */
const fields = [8, 4, 3, 3, 3, 3, 6, 6];
const flags = ["a", "b", "c", "d", "e"];

export function FormSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t("common.loading")}>
      <Skeleton h={16} w="8rem" mb={8} />
      <Skeleton h={30} w="20rem" maw="100%" mb="md" />
      <div className="form-columns">
        <div className="form-main">
          <div className="form-section">
            <Skeleton h={20} w="10rem" mb="lg" />
            <div className="form-grid">
              {fields.map((span, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
                <div key={index} data-span={span}>
                  <Skeleton h={14} w="6rem" mb={8} />
                  <Skeleton h={36} />
                </div>
              ))}
            </div>
          </div>
          <div className="form-section">
            <Skeleton h={20} w="8rem" mb="lg" />
            <Skeleton h={72} />
          </div>
        </div>
        <div className="form-rail">
          <div className="form-section">
            <Skeleton h={20} w="8rem" mb="lg" />
            {flags.map((flag) => (
              <Skeleton key={flag} h={20} mb="md" />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}
