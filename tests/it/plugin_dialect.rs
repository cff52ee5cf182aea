//! The plugin and zellij mean the same by the same bytes.

use madohub_tests::dialect;

#[test]
fn zellijs_own_library_reads_and_writes_what_the_plugin_does() {
    let said = dialect();
    let (differences, counted): (Vec<_>, Vec<_>) =
        said.lines().partition(|line| !line.starts_with("compared "));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let compared: usize = counted[0].trim_start_matches("compared ").parse().unwrap();
    assert!(compared > 80, "{compared} comparisons");
}
