export interface FieldProps {
  /** The path of its value in the draft. */
  name: string;
}
