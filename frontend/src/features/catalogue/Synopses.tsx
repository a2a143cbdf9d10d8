// The synopses in both languages, side by side.
import { fieldsOf } from "../../forms/fieldsOf";

const { LongText } = fieldsOf<{ spanishSynopsis?: string; englishSynopsis?: string }>();

export function Synopses() {
  return (
    <>
      <div data-span="6">
        <LongText name="spanishSynopsis" rows={6} />
      </div>
      <div data-span="6">
        <LongText name="englishSynopsis" rows={6} />
      </div>
    </>
  );
}
