//! One line of observations.

use madohub_detect::Observation;

/// Reads one JSON object. The error says what is wrong and at which column.
pub fn observation(line: &str) -> Result<Observation, String> {
    // An array would fill the fields in order, which nobody means.
    if !line.trim_start().starts_with('{') {
        return Err("an observation is a JSON object, `{\"id\": …}`".to_owned());
    }
    serde_json::from_str(line).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or(&text);
        format!("column {}: {what}", error.column())
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failing test may panic")]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_and_impossible_sizes_do_not_matter() {
        let seen = observation(r#"{"id":"a","cols":-4,"rows":1e9,"new":{"x":[1]}}"#).unwrap();
        assert_eq!((seen.id.as_str(), seen.cols, seen.rows), ("a", None, None));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_column() {
        let error = observation(r#"{"id":"a","screen":["x"#).unwrap_err();
        assert_eq!(error, "column 22: EOF while parsing a string");
        assert!(observation(r#"{"id":5}"#).unwrap_err().contains("expected a string"));
        assert!(observation("[]").unwrap_err().contains("object"));
        assert!(observation("{} {}").unwrap_err().contains("trailing"));
    }
}
