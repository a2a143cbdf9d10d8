// Radio stations: columns, a blank one, the fields of its form with its logo beside them.
import { useDeferredValue } from "react";
import { RadioGenre } from "../../../api/enums/RadioGenre.gen";
import { useValue } from "../../../forms/useDraftForm";
import { textAt } from "../../../i18n";
import { FormSection } from "../../../ui/FormSection";
import { Cover } from "../../../ui/values";
import { BaseUrlPanel } from "../BaseUrlPanel";
import {
  activeFilter,
  columnsOf,
  defineContent,
  flagFilter,
  genreFilter,
  missingFilter,
  typedFilter,
} from "../define";
import { contentFieldsOf } from "../fields";
import { Twin } from "../Twin";

const { Text, Choices, Flag } = contentFieldsOf<"radio-stations">();

const section = (name: string) => textAt(`contents.radio-stations.sections.${name}`);

export default defineContent({
  kind: "radio-stations",
  schema: "RadioStation",
  nameOf: (station) => station.stationName,
  pictureSize: "logo",
  detailsOf: (station) => [station.code],
  filters: () => [
    activeFilter("radio-stations"),
    genreFilter(RadioGenre),
    typedFilter("country", textAt("contents.radio-stations.fields.country"), "text"),
    typedFilter("code", textAt("contents.radio-stations.fields.code"), "text"),
    missingFilter("radio-stations", "LOGO"),
    flagFilter("radio-stations", "duplicated"),
  ],
  Header: () => <BaseUrlPanel kind="radio-stations" />,
  columns: () => {
    const column = columnsOf("radio-stations");
    return [
      column.identity("stationName"),
      column.text("stationLogo", {
        label: textAt("contents.radio-stations.fields.logo"),
        onCard: true,
        width: "5rem",
        render: ({ stationLogo }) =>
          stationLogo ? (
            <Cover url={stationLogo} size="logo" />
          ) : (
            <span className="quiet">{textAt("common.notAvailable")}</span>
          ),
      }),
      column.text("country", { sortable: true, onCard: true, width: "9rem" }),
      column.badges("genres", RadioGenre),
      column.active((station) => station.stationName),
      column.text("code", { sortable: true, isOptional: true, width: "10rem" }),
      ...column.dates(),
    ];
  },
  blank: () => ({
    code: "",
    stationName: "",
    stationLogo: "",
    country: "",
    genres: [],
    streamUrl: "",
    active: true,
  }),
  Fields: () => (
    <div className="form-columns">
      <div className="form-main">
        <FormSection title={section("main")}>
          <div className="form-grid">
            <div data-span="8">
              <Text name="stationName" />
            </div>
            <div data-span="4">
              <Text name="code" />
              <Twin
                kind="radio-stations"
                name="code"
                nameOf={(station) => station.stationName}
                text={(name) => textAt("contents.radio-stations.codeUsed", { name })}
              />
            </div>
            <Text name="country" />
            <Choices name="genres" of={RadioGenre} />
          </div>
        </FormSection>
        <FormSection title={section("stream")}>
          <Text name="streamUrl" type="url" placeholder="https://…" />
          <Twin
            kind="radio-stations"
            name="streamUrl"
            nameOf={(station) => station.stationName}
            text={(name) => textAt("contents.urlUsed", { name })}
          />
        </FormSection>
      </div>
      <div className="form-rail">
        <FormSection title={textAt("contents.sections.status")}>
          <Flag name="active" />
        </FormSection>
        <FormSection title={section("logo")}>
          <Logo />
          <Text name="stationLogo" type="url" placeholder="https://…" />
        </FormSection>
      </div>
    </div>
  ),
});

function Logo() {
  const url = useDeferredValue(useValue<string | null>("stationLogo"));
  return (
    <div className="preview-cover">
      <Cover url={url} size="logo-large" />
    </div>
  );
}
