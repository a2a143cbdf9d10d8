//! The comparison of a column with the value of a filter.

use domain_kernel::FilterValue;

use crate::db::sql::Sql;

/// ` = …`, or ` IN (…)` of several.
pub(crate) fn push_comparison(sql: &mut Sql, value: &FilterValue) {
    match value {
        FilterValue::Flag(flag) => sql.push(" = ").bind(*flag),
        FilterValue::Reference(number) | FilterValue::Number(number) => sql.push(" = ").bind(*number),
        FilterValue::Code(code) => sql.push(" = ").bind(*code),
        FilterValue::Text(text) => sql.push(" = ").bind(text.as_str()),
        FilterValue::References(ids) => sql.push(" IN (").bind_all(ids.iter().copied()).push(")"),
        FilterValue::Codes(codes) => sql.push(" IN (").bind_all(codes.iter().copied()).push(")"),
        FilterValue::Day(day) => sql.push(" = ").bind(*day),
        FilterValue::Moment(moment) => sql.push(" = ").bind(*moment),
    };
}
