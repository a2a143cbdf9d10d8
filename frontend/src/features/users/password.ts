// What a password must be, by role (the server's own rule, in its own codes): four characters for who types it with a
// remote control; for staff eight, with an upper-case letter, a lower-case letter and a digit.
import { rules } from "../../api/rules.gen";
import type { ObjectRule } from "../../forms/rules";

const { properties, ...newUser } = rules.NewUser;

export const newPersonRule: ObjectRule = {
  ...newUser,
  properties: {
    ...properties,
    password: {
      ...properties.password,
      // The document tells it in words only.
      unless: { field: "roleCode", in: ["app"], rule: { minLength: 8, mixed: true } },
    },
  },
};
