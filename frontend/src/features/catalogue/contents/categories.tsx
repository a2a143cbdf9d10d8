// Categories: what the catalogue is sorted into, one type for each kind of content.

import { Badge } from "@mantine/core";
import { CategoryType } from "../../../api/enums/CategoryType.gen";
import { categoryName } from "../../../api/storedOptions";
import { useValue } from "../../../forms/useDraftForm";
import { currentLanguage, textAt } from "../../../i18n";
import { labelOf } from "../../../i18n/enums";
import { FormSection } from "../../../ui/FormSection";
import { activeFilter, columnsOf, defineContent, enumFilter } from "../define";
import { contentFieldsOf } from "../fields";
import { Twin } from "../Twin";

const { Text, Choice, Flag } = contentFieldsOf<"categories">();

export default defineContent({
  kind: "categories",
  schema: "Category",
  nameOf: categoryName,
  narrowForm: true,
  columns: () => {
    const column = columnsOf("categories");
    const inEnglish = currentLanguage() === "en";
    return [
      // First the one that names it in the language of the screen: what is shown is what is sorted by.
      column.identity(inEnglish ? "englishDescription" : "description", {
        label: textAt("contents.categories.fields.description"),
      }),
      column.text(inEnglish ? "description" : "englishDescription", {
        label: textAt(inEnglish ? "contents.categories.inSpanish" : "contents.categories.inEnglish"),
        sortable: true,
        onCard: true,
        width: "clamp(8rem, 18vw, 24rem)",
      }),
      column.text("type", {
        sortable: true,
        onCard: true,
        width: "9rem",
        render: ({ type }) => (
          <Badge variant="light" color={type === "MOVIE" ? "blue" : "grape"} tt="none">
            {labelOf(CategoryType, type)}
          </Badge>
        ),
      }),
      column.active(categoryName),
      ...column.dates(),
    ];
  },
  filters: () => [
    enumFilter("type", textAt("contents.categories.fields.type"), CategoryType),
    activeFilter("categories"),
  ],
  blank: () => ({ description: "", englishDescription: "", type: "MOVIE", active: true }),
  Fields: () => (
    <FormSection title={textAt("contents.categories.sections.main")}>
      <div className="form-grid">
        <div>
          <Text name="description" />
          <NameUsed name="description" />
        </div>
        <div>
          <Text name="englishDescription" />
          <NameUsed name="englishDescription" />
        </div>
        <Choice name="type" of={CategoryType} />
        <Flag name="active" />
      </div>
    </FormSection>
  ),
});

/** Another category of the same type is called so: the two could not be distinguished in a choice. */
function NameUsed({ name }: { name: "description" | "englishDescription" }) {
  const type = useValue<string | null>("type");
  return (
    <Twin
      kind="categories"
      name={name}
      nameOf={(category) => category[name]}
      filters={(search) => (type ? { type, search } : undefined)}
      isTwin={(category, value) => isSameText(category[name], value)}
      text={(twin) => textAt("contents.categories.nameUsed", { name: twin })}
    />
  );
}

function isSameText(one: string, other: string): boolean {
  return one.localeCompare(other, undefined, { sensitivity: "base" }) === 0;
}
