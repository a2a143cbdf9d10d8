//! Request bodies as JSON, and values as JSON.

use domain_kernel::{Code, Violation, Violations};
use ports::StoreError;
use serde_json::Value;

use crate::Error;

pub(crate) fn parse(body: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(body).map_err(|error| Error::Malformed(error.to_string()))
}

/// The error of a body that has to be an object.
pub(crate) fn not_an_object() -> Error {
    Violations(vec![Violation::new("", Code::WrongType).with("expected", "object")]).into()
}

pub(crate) fn to_json(value: &impl serde::Serialize) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|error| StoreError::Broken(error.to_string()).into())
}

/// The body `{"active": …}`, without other fields.
pub(crate) fn read_active(json: &Value) -> Result<bool, Error> {
    let fault = |field: &str, code| Error::from(Violations(vec![Violation::new(field, code)]));
    let Some(fields) = json.as_object() else {
        return Err(not_an_object());
    };
    if let Some(other) = fields.keys().find(|name| *name != "active") {
        return Err(fault(other, Code::UnknownField));
    }
    match fields.get("active") {
        Some(Value::Bool(active)) => Ok(*active),
        None | Some(Value::Null) => Err(fault("active", Code::Required)),
        Some(_) => {
            Err(Violations(vec![Violation::new("active", Code::WrongType).with("expected", "boolean")])
                .into())
        }
    }
}
