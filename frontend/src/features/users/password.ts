// What a password must be, by role (the server's own rule, in its own codes): four characters for who types it with a
// remote control; for staff eight, with an upper-case letter, a lower-case letter and a digit.

import type { ObjectRule, Rule } from "../../api/rule";
import { rules } from "../../api/rules.gen";

const { properties, ...newUser } = rules.NewUser;

const password: Rule = {
  ...properties.password,
  // The OpenAPI document says it in its description only.
  unless: { field: "roleCode", in: ["app"], rule: { minLength: 8, mixed: true } },
};

export const newUserRule: ObjectRule = { ...newUser, properties: { ...properties, password } };

/** A new password for another user, with the role that its rules depend on. */
export interface PasswordDraft {
  password: string;
  roleCode: string;
}

export const resetRule: ObjectRule = {
  required: ["password"],
  properties: { password, roleCode: properties.roleCode },
};
